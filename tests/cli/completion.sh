# Shells complete commands, options, the words of choices, algorithms and collectives.
set -e
collc help --format bash >completion
for case in 'verify --max-fan-i=--max-fan-in' 'verify --format js=json' 'verify alltoall/ri=alltoall/ring' \
    'best allred=allreduce' 'help veri=verify' 'bou=bound'; do
    words=${case%%=*}
    # shellcheck disable=SC2016
    bash -c '. ./completion; COMP_WORDS=(collc "$@"); COMP_CWORD=$#; _collc; printf "%s\n" "${COMPREPLY[@]}"' \
        bash $words >completed
    grep -qxe "${case##*=}" completed || { echo "bash: '$words' gives:"; cat completed; exit 1; }
done
# Behind an option that takes a word nothing of ours: bash offers files.
bash -c '. ./completion; COMP_WORDS=(collc verify -t ""); COMP_CWORD=3; _collc; [ -z "${COMPREPLY[*]}" ]'
if command -v fish >/dev/null; then
    collc help --format fish >collc.fish
    while read -r words; do
        fish -c "source collc.fish; complete -C 'collc ${words%% = *}'" | cut -f 1 >completed
        grep -qxe "${words##* = }" completed || { echo "fish: '$words' gives:"; cat completed; exit 1; }
    done <<'END'
verify --max-fan-i = --max-fan-in
verify --format j = json
verify alltoall/ri = alltoall/ring
best allred = allreduce
bou = bound
END
fi
if command -v zsh >/dev/null; then
    collc help --format zsh >_collc
    zsh -f -n _collc
    # zsh completes in a terminal only: one is made, and a Tab is typed.
    cat >typed.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; PS1=; unsetopt beep; print -r REA''DY'
zpty -r -m shell line '*READY*'
zpty -w -n shell $'collc '"$1"$'\t'
zpty -r -m shell line "*$2*" && print -r found
zpty -d shell
END
    for case in 'verify --max-fan-i=max-fan-in' 'verify alltoall/pairw=pairwise' 'bou=bound'; do
        timeout 60 zsh -f typed.zsh "${case%%=*}" "${case##*=}" | grep -q found || { echo "zsh: '$case'"; exit 1; }
    done
fi
