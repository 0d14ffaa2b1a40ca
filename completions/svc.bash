# Completion for svc: runs `svc __complete`, which prints one candidate per line, with a tab before its description.
# A candidate that ends in / or = is a prefix of a longer word. The typed words are passed as arguments and never evaluated.
#
# Works in bash 3.2 and later, without bash-completion. bash 4 and later splits words where readline does, including at
# `=`, `:`, and `@`, so the script joins words that no blank separates. It parses the current word to find the text that
# readline replaces (everything after the last separator or opening quote) and any open quote. Each candidate is quoted,
# so that the shell does not evaluate it. Inside an open quote, the script omits candidates that need quotes, and adds a
# second candidate to a prefix, because readline closes the quote after a single candidate. bash 3.2 has no `compopt`, so
# it adds no blank after a closing quote.
_svc() {
  local rest=${COMP_LINE:0:COMP_POINT} count=0 at blank word current candidate char quote= plain= kept= outer
  local -a typed
  for ((at = 0; at <= COMP_CWORD; at++)); do
    blank=${rest%%[![:space:]]*}
    rest=${rest#"$blank"}
    word=${COMP_WORDS[at]}
    ((at < COMP_CWORD)) || word=$rest
    rest=${rest#"$word"}
    if [[ -n $blank || $count -eq 0 ]]; then
      typed[count++]=$word
    else
      typed[count - 1]+=$word
    fi
  done
  current=${typed[count - 1]}
  for ((at = 0; at < ${#current}; at++)); do
    char=${current:at:1}
    if [[ $char == \\ && $quote != \' ]]; then
      ((at++))
      plain+=${current:at:1}
    elif [[ -n $quote && $char == "$quote" ]]; then
      quote=
      kept=$outer
    elif [[ -n $quote ]]; then
      plain+=$char
    elif [[ $char == [\"\'] ]]; then
      quote=$char
      outer=$kept
      kept=$plain
    else
      [[ $char != @ || $COMP_WORDBREAKS != *@* ]] || kept=$plain
      plain+=$char
      [[ $char == @ || $COMP_WORDBREAKS != *"$char"* ]] || kept=$plain
    fi
  done
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate%%$'\t'*}
    candidate=${candidate#"$kept"}
    if [[ -n $quote ]]; then
      case $candidate in *[\\\"\'\$\`\!]*) continue ;; esac
    else
      case $candidate in
        '~/'*) printf -v word '%q' "${candidate#'~/'}" && word="~/$word" ;;
        *) printf -v word '%q' "$candidate" ;;
      esac
      case $candidate in */ | *=) candidate=$word ;; *) candidate="$word " ;; esac
    fi
    COMPREPLY[${#COMPREPLY[@]}]=$candidate
  done < <(command svc __complete "${typed[@]:1}" 2>/dev/null)
  if [[ -n $quote && ${#COMPREPLY[@]} -eq 1 ]]; then
    case ${COMPREPLY[0]} in
      */ | *=) COMPREPLY[1]=${COMPREPLY[0]}. ;;
      *) compopt +o nospace 2>/dev/null ;;
    esac
  fi
}
complete -o nospace -F _svc svc
