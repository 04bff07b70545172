_lento() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "COMMANDS --help --version" -- "$word"))
        return
    fi
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
