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
    jq -r --arg name "$row" '[.. | objects | select(.name? == $name)][0] | "\(.lost) \(.moved) \(.max_link_load) \(.max_total_load)"' \
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
