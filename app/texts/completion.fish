complete -c lento -f
complete -c lento -n __fish_use_subcommand -a "COMMANDS"
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -k -a "(__fish_complete_suffix .toml)"
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -l method -x -a "auto NAMES"
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -l option -x -a "OPTIONS estimate=yes estimate=none initial=averaged"
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -l rtol -l atol -l t-end -l samples -l set -x
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -s o -r -F
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -l json -l quiet
complete -c lento -n "__fish_seen_subcommand_from run compare" -l plot -r -F
complete -c lento -n "__fish_seen_subcommand_from run" -l fast -x
complete -c lento -n "__fish_seen_subcommand_from compare" -l budget -x
complete -c lento -n "__fish_seen_subcommand_from project" -l richardson
complete -c lento -n "__fish_seen_subcommand_from reproduce" -a "IDS" -l list -l all -l json -l quiet
complete -c lento -n "__fish_seen_subcommand_from help" -a "methods options sections functions outcomes NAMES"
complete -c lento -n "__fish_seen_subcommand_from completion" -a "bash zsh fish"
