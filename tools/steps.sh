# For belay-demo and belay-test: steps with progress, a log each, and a summary. Source it.
#
# A step's output goes to build/logs; printed are its name, its progress, its result, and the end of its log
# when it failed. The progress is taken from the programs' own output: [12/345] of ninja, 12/345 of ctest, the
# package that apt unpacks.

step_names=() step_times=() step_verdicts=()
step_margin=34

# On a terminal one line that is overwritten; else, for logs, a line for each quarter.
show_progress() {
  local name=$1 line mark last='' quarter=0
  while IFS= read -r line; do
    mark=''
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] || $line =~ ^\ *([0-9]+)/([0-9]+)\ Test ]]; then
      mark="${BASH_REMATCH[1]}/${BASH_REMATCH[2]}"
      if [[ ! -t 1 ]]; then
        (( BASH_REMATCH[2] >= 40 && 4 * BASH_REMATCH[1] / BASH_REMATCH[2] > quarter )) || continue
        quarter=$((4 * BASH_REMATCH[1] / BASH_REMATCH[2]))
        ((quarter == 4)) || printf '   %s: %s\n' "$name" "$mark"
        continue
      fi
    elif [[ $line =~ ^(Get:[0-9]+|Unpacking|Setting\ up)\ ([^ ]+) ]]; then
      mark="${BASH_REMATCH[1]%%:*} ${BASH_REMATCH[2]}"
    fi
    [[ -t 1 && -n $mark && $mark != "$last" ]] || continue
    last=$mark
    printf '\r\e[K== %-*s %s' "$step_margin" "$name" "${mark:0:40}"
  done
  [[ ! -t 1 ]] || printf '\r\e[K'
}

# step NAME COMMAND...: the command's status; the important lines are repeated below its name.
step() {
  local name=$1 log="build/logs/${1// /-}.log" start=$SECONDS status=0
  shift
  mkdir -p build/logs
  [[ ! -t 1 ]] || printf '== %-*s' "$step_margin" "$name"
  { "$@" 2>&1; echo "$?" >"$log.status"; } | tee "$log" | show_progress "$name"
  status=$(<"$log.status")
  rm -f "$log.status"
  step_names+=("$name")
  step_times+=($((SECONDS - start)))
  if [[ $status -eq 0 ]]; then step_verdicts+=(passed); else step_verdicts+=(FAILED); fi
  printf '== %-*s %6s %4d s\n' "$step_margin" "$name" "${step_verdicts[-1]}" "${step_times[-1]}"
  grep -hE '^(100|[0-9]{1,2})% tests passed|^[0-9]+ passed|^[a-z ]+ matrix:|^[a-z]+ campaign:|^history replay:' "$log" |
    sed 's/^/   /'
  [[ $status -eq 0 ]] || { tail -n 60 "$log"; return 1; }
}

# How many steps failed.
failed_steps() {
  local verdict failed=0
  for verdict in "${step_verdicts[@]}"; do [[ $verdict == passed ]] || failed=$((failed + 1)); done
  echo "$failed"
}

# slowest_steps COUNT: one line.
slowest_steps() {
  local i
  for i in "${!step_names[@]}"; do printf '%d\t%s\n' "${step_times[$i]}" "${step_names[$i]}"; done |
    sort -rn | head -n "$1" | awk -F'\t' '{ printf("%s%s %d s", (NR > 1 ? ", " : "slowest: "), $2, $1) } END { print "" }'
}
