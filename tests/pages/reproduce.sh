# The papers' figures, by a command each: tables with what the paper states beside them, and pictures.
# tests/pages/reproduction.sh has the numbers of docs/reproduction.md.
set -e
. "$root/tests/helpers.sh"
command -v gnuplot >/dev/null || { echo 'skipped: no gnuplot'; exit 0; }
here=$PWD

reproduce() { # PAPER [FIGURE]...
    "$root/scripts/reproduce" --quick --build "$(dirname "$(command -v collc)")" --out "$here/$1" "$@" >"$1.txt"
}
value() { # PAPER FIGURE SERIES X
    awk -F '\t' -v f="$2" -v s="$3" -v x="$4" '$1 == f && $2 == s && $3 == x { print $4 }' "$1/results.tsv"
}

# Each number of a paper says what it is.
cat "$root"/reproduction/*/paper.tsv | grep -v '^#' | cut -f 5 | sort -u >kinds
expect 'kinds of numbers' "$(xargs <kinds)" 'formula input measured simulated stated'

reproduce takaue2010 table-1
grep -qx '  20 values of the paper.s formula, which we evaluated: ours are the same.' takaue2010.txt
expect 'no picture of a table' "$(ls takaue2010)" results.tsv

reproduce sumimoto2000
grep -qx '  16 numbers that the paper states: ours are the same.' sumimoto2000.txt
grep -qE '^  round trip; network PM/Myrinet +16.4  input +16.4' sumimoto2000.txt
grep -qx '  2 numbers of the paper went in as input, and come out again: no result of ours.' sumimoto2000.txt
expect 'bandwidth of a long message on Myrinet' "$(value sumimoto2000 5 'PM/Myrinet, a stream' 1048576 |
    awk '{ printf "%.1f", $1 }')" 116.1

# By flits each step takes what the formula of section 3.6 says, within 5 %.
reproduce naruse2010 6 table-3
for case in 'FT B:5.4' 'IS B:2.5' 'IS C:6.3'; do
    expect "gain of ${case%:*}" "$(value naruse2010 table-3-gain gain "${case%:*}" | awk '{ printf "%.1f", $1 }')" \
        "${case#*:}"
    grep -q "table 3: [^|]* | [^*|]*${case#*:} " "$root/docs/papers.md"
done
awk -F '\t' '$1 != 6 { next } $2 == "ring" { flits[$3] = $4 }
    $2 != "ring" { n++; off = flits[$3] / $4 - 1; if (off > 0.05 || off < -0.05) exit 1 }
    END { if (n != 49) exit 1 }' naruse2010/results.tsv || { echo 'steps are not as by the formula'; exit 1; }
grep -qx '  49 values of the paper.s formula, which we evaluated: ours are the same.' naruse2010.txt

# Costs of messages as TCP/IP has them make the tuned rule win from 40 kB on (docs/reproduction.md).
reproduce imamura2009
for case in '4000 1.50' '40000 0.74' '96000 0.75'; do
    expect "the rule over the default at ${case% *} bytes" \
        "$(value imamura2009 4-ratio 'tuned / default' "${case% *}" | awk '{ printf "%.2f", $1 }')" "${case#* }"
done
expect 'the binary tree as soon as possible, of 19' "$(value imamura2009 1 binary 19)" 6
grep -qE '^  binary; P 19 +8  formula +6$' imamura2009.txt
for picture in */*.svg; do xmllint --noout "$picture"; done
expect 'pictures' "$(cat */*.svg | grep -c '</svg>')" 14

status=0
"$root/scripts/reproduce" nobody2000 2>err || status=$?
expect 'no such paper' $status 2
grep -q "no paper 'nobody2000'; there are: imamura2009 kawashima2013 naruse2010 sumimoto2000 takaue2010" err
