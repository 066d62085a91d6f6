# SPDX-License-Identifier: BSD-3-Clause
# Checks of language: comments, names, pages and commits.

# A comment says who does what: it does not begin with a question word. Comments of emitted C are not looked at.
check_comments() {
    for file; do case $file in emitters/mpi_c/runtime/*) continue ;; esac; echo "$file"; done |
        xargs grep -nHE '^ *(/\*|\*|.*[;,{})] */\*) (What|Whether|Of|Those|How|Where|Who) ' | cut -c 1-150
    grep -rnE '^ *# (What|Whether|Of|Those|How|Where|Who) ' tests scripts --include='*.sh' --include='*.cmd' \
        --include='*.awk' --include=run | cut -c 1-150
}

# A function's name leads to one place: statics that several files could have begin with their file's name.
check_names() {
    printf '%s\n' "$@" | grep -vE '^tests/|/runtime/|\.h$' |
        xargs grep -H '^static ' | sed -nE 's/^([^:]*):static ([^=;(]*[ *])?([a-z_0-9]+)\(.*/\3 \1/p' | sort -u |
        awk '{ files[$1] = files[$1] " " $2; n[$1]++ } END { for (f in n) if (n[f] > 1) print f ":" files[f] }'
}

# Subjects of commits from the one on that brought this check; none where there is no history.
check_subjects() {
    first=$(git log --format=%H --diff-filter=A -- tests/lint/words.sh 2>/dev/null | tail -n 1)
    [ -z "$first" ] || git log --format='%h %s' "$first^..HEAD" 2>/dev/null |
        awk '{ subject = substr($0, index($0, " ") + 1)
               if (length(subject) > 72) print $1 ": " length(subject) " characters: " subject }'
}

# Words that were given up, and those that took their place: tests/lint/retired.txt.
check_retired() {
    grep -v '^#' tests/lint/retired.txt | while IFS='|' read -r old new; do
        grep -nHiwE "$old" "$@" README.md docs/*.md docs/start/*.md docs/codes/*.md | cut -c 1-120 | sed "s/\$/  (say: $new)/"
    done
}

# The pages together have at most 70,000 words.
check_amount() {
    find docs -name '*.md' -exec cat {} + | wc -w | awk '$1 > 70000 { print "docs: " $1 " words; say things once" }'
}

# Half of the sentences of a page have fewer than 16 words, nine of ten fewer than 28.
check_sentences() {
    for page in README.md docs/*.md docs/start/*.md; do
        [ "$page" != docs/command-line.md ] || continue
        awk -v page="$page" '
            function end_paragraph(    n, i, parts, words) {
                gsub(/\]\([^)]*\)/, "]", paragraph); gsub(/`[^`]*`/, "X", paragraph)
                gsub(/[.!?:;] +[A-Z`("'"'"']/, "&\n", paragraph)
                n = split(paragraph, parts, "\n")
                for (i = 1; i <= n; i++) { words = split(parts[i], word, " "); if (words > 2) { count[words]++; total++ } }
                paragraph = ""
            }
            /^```/ { code = !code; end_paragraph(); next }
            code || /^    / || /^[|#<]/ || / [|] / { end_paragraph(); next }
            /^ *$/ || /^ *[-*] / || /^ *[0-9]+\. / { end_paragraph() }
            { sub(/^ *([-*]|[0-9]+\.) /, ""); paragraph = paragraph " " $0 }
            END { end_paragraph()
                  for (words = 1; words < 1000; words++) { seen += count[words]
                      if (!median && 2 * seen >= total) median = words
                      if (!ninth && 10 * seen >= 9 * total) ninth = words }
                  print page, median, ninth }' "$page"
    done | awk '$2 >= 16 || $3 >= 28 { print $1 ": median " $2 " words in a sentence, nine of ten within " $3 }'
}
