_lento() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "COMMANDS --help --version" -- "$word"))
        return
    fi
    local option=
    if [ "$word" = = ] && [ "${COMP_WORDS[COMP_CWORD-2]}" = --option ]; then
        option=$before word=
    elif [ "$before" = = ] && [ "${COMP_WORDS[COMP_CWORD-3]}" = --option ]; then
        option=${COMP_WORDS[COMP_CWORD-2]}
    fi
    case $option in
    estimate) COMPREPLY=($(compgen -W "yes none" -- "$word")); return ;;
    initial) COMPREPLY=($(compgen -W "true-state averaged" -- "$word")); return ;;
    mean_force) COMPREPLY=($(compgen -W "refuse accept" -- "$word")); return ;;
    parity) COMPREPLY=($(compgen -W "detect even none" -- "$word")); return ;;
    project) COMPREPLY=($(compgen -W "each start times auto never" -- "$word")); return ;;
    guess) COMPREPLY=($(compgen -W "elongations none" -- "$word")); return ;;
    difference) COMPREPLY=($(compgen -W "central forward backward" -- "$word")); return ;;
    reconstruction) COMPREPLY=($(compgen -W "symmetric nearest" -- "$word")); return ;;
    smoothing) COMPREPLY=($(compgen -W "even-odd segments none" -- "$word")); return ;;
    esac
    case $before in
    --method) COMPREPLY=($(compgen -W "auto NAMES" -- "$word")); return ;;
    --option) compopt -o nospace; COMPREPLY=($(compgen -S = -W "OPTIONS" -- "$word")); return ;;
    --plot | -o) COMPREPLY=($(compgen -f -- "$word")); return ;;
    esac
    case $command in
    run | compare | check | project)
        local flags="--method --rtol --atol --t-end --samples --set --option -o --json --quiet --help"
        [ "$command" = run ] && flags="$flags --fast --plot"
        [ "$command" = compare ] && flags="$flags --budget --plot"
        [ "$command" = project ] && flags="$flags --richardson"
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "$flags" -- "$word"))
        else
            COMPREPLY=($(compgen -f -X '!*.toml' -- "$word") $(compgen -d -S / -- "$word"))
        fi ;;
    reproduce) COMPREPLY=($(compgen -W "--list --all --json --quiet -o IDS" -- "$word")) ;;
    help) COMPREPLY=($(compgen -W "methods options sections functions outcomes NAMES" -- "$word")) ;;
    methods) COMPREPLY=($(compgen -W "--json --help" -- "$word")) ;;
    completion) COMPREPLY=($(compgen -W "bash zsh fish" -- "$word")) ;;
    esac
}
complete -F _lento lento
