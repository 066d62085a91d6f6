# A page of all about a schedule: whole HTML without anything from elsewhere, whose figures are those of other commands.
set -e
. "$root/tests/helpers.sh"
page() { xmllint --html --xpath "$1" page.html 2>/dev/null; }
collc report alltoall/ring -t fattree:4x4,up=1x2 --bytes 64KiB -o page.html
collc report alltoall/ring -t fattree:4x4,up=1x2 --bytes 64KiB | cmp - page.html
absent -iE '<script|<link|<img|src=|url\(' page.html
absent -E 'href="[^#]' page.html
# Every link of the head leads to a section, and every section has one.
expect links "$(page '//nav/a/@href' | grep -o '#[a-z]*' | tr -d '\n')" '#figures#findings#network#time#links#ranks#failures'
expect sections "$(page '//section/@id' | grep -o '"[a-z]*"' | tr -d '"\n')" figuresfindingsnetworktimelinksranksfailures
expect pictures "$(page 'count(//section/figure)')" 3
# The line below the title is the verdict.
collc verify alltoall/ring -t fattree:4x4,up=1x2 | sed -n 's/^  verdict  *//p' >verdict
expect verdict "$(page 'string(//p[@class="line good"])')" "$(cat verdict)"
# Failures as a project has them: of each part what is lost, moved and on the busiest link.
printf 'version: 1\nschedules: [alltoall/ring]\nnetworks: ["fattree:4x4,up=1x2"]\n' >collc.yaml
collc check . --fail each --format json >check.json || [ $? -eq 1 ]
for row in 'switch sw0' 'cable sw0:sw4' 'machine m0'; do
    name=${row%% *} of=${row#* }
    jq -r --arg name "$row" '[.. | objects | select(.name? == $name)][0] | "\(.lost) \(.gone) \(.moved) \(.max_link_load) \(.max_total_load)"' \
        check.json >wanted
    page "//tr[starts-with(td[1], '$name $of')]/td[position() > 1]/text()" | tr '\n' ' ' | sed 's/ $//' >found
    expect "$row" "$(cat found)" "$(cat wanted)"
done
# A limit that is passed is a finding, in the page and in the status.
status=0; collc report alltoall/ring -t fattree:4x4,up=1x2 --max-link-load 1 -o page.html || status=$?
expect status $status 1
expect finding "$(page 'count(//p[@class="line bad"])')" 1
page 'string(//section[@id="findings"]/pre)' >findings
present 'L001\|L002\|link' findings
absent 'id="time"' page.html
present 'they depend on the size, --bytes' page.html
# The page says what was asked for.
collc report alltoall --as ompi-4.1 -t fattree:4x4 --fail sw0:sw4 --bytes 4KiB -o page.html
page 'string(//main/p[1])' >asked
present '^It is what ompi-4.1 takes for this call. The size is 4KiB. Without: sw0:sw4$' asked
# A barrier has times without a size.
collc report barrier/dissemination -t star:4 -o page.html
present 'id="time"' page.html
# No network; names that look like markup; a schedule that is wrong.
collc report bcast/binomial --ranks 4 -o page.html
absent 'id="network"' page.html
printf 'SwitchName=s0 Nodes=n[0-3]\n' >'<b>&.conf'
printf 'collc-schedule 1\ncollective alltoall\nalgorithm by_hand\nranks 4\nstep 0\n0 send in[1] to 1\nend\n' >one.sched
status=0; collc report one.sched -t './<b>&.conf' -o page.html 2>message || status=$?
expect status $status 1
absent '<b>' page.html
present 'by_hand on ./&lt;b>&amp;.conf</h1>' page.html
# Without Graphviz there is the page, without that picture.
mkdir bin && ln -s "$(command -v collc)" bin/collc
PATH=$PWD/bin collc report alltoall/ring -t star:4 -o page.html 2>message
present "'dot' of Graphviz is needed" page.html
# A page of nothing is not written.
rm page.html
status=0; collc report alltoall/none -t star:4 -o page.html 2>message || status=$?
expect status $status 2
[ ! -e page.html ]
# A project as a page: its table is that of the text.
mkdir project && cd project
printf 'version: 1\nschedules: [alltoall/ring, alltoall/pairwise, allreduce/ring]\nnetworks: ["fattree:4x4,up=1x2", "star:16"]\nranks: [8, 16, 40]\nlimits: {max-link-load: 1}\n' >collc.yaml
status=0; collc check >text || status=$?
page_status=0; collc check --format html >page.html || page_status=$?
expect status $page_status $status
[ "$status" -ne 2 ] || cat text
sed -n '/^schedule /,/^[0-9]* combinations/{/^[sa0-9].*/p}' text | sed '1d;$d' | awk '{ print $1 " on " $2, $3, $4, $5 }' >wanted
page '//section[@id="combinations"]//tr[position() > 1]/td/text()' | paste -d' ' - - - - >found
diff wanted found
expect line "$(page 'string(//p[@class="line bad"])')" "$(grep ' combinations: ' text)"
expect marked "$(page 'count(//td[@class="bad"])')" "$(grep -o 'L00[0-9]' wanted | wc -l)"
cd ..
# The algorithms of a collective as a page: its chart, and the report.
collc best alltoall -t fattree:4x4 --to html -o page.html
collc best alltoall -t fattree:4x4 >text
page 'string(//section[@id="figures"]/pre)' >found
echo >>text
diff text found
expect chart "$(page 'count(//section[@id="chart"]/figure)')" 1
awk '/^  bytes  *best/ { on = 1; next } !NF { on = 0 } on { print $NF }' text | paste -sd' ' >wanted
page 'string(//p[@class="line good"])' | sed 's/^best: //; s/ to [^ ]*, then / /g' >found
expect best "$(cat found)" "$(cat wanted)"
collc predict alltoall/ring -t star:4 --bytes 1KiB --to html | grep -q '<title>alltoall/ring on star:4, 4 ranks</title>'
# In a browser, if there is one: links lead to their sections, and what is printed has them all.
if browser=$(command -v chromium || command -v google-chrome) && command -v pdftotext >/dev/null; then
    collc report alltoall/ring -t fattree:4x4 --bytes 64KiB -o page.html
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/browser" --no-pdf-header-footer \
        --print-to-pdf=page.pdf "file://$PWD/page.html#failures" 2>browser.log
    pdftotext page.pdf - | tr -d "\f" >printed
    page '//h2/text()' >titles
    while read -r title; do present "^$title\$" printed; done <titles
else
    echo "skipped: no browser, or no pdftotext"
fi
