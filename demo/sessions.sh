# shellcheck shell=bash disable=SC2154,SC2034
# Act one, sourced by belay-demo: an agent is killed, and restarted. Every wait is for an event that belay
# itself reports: a record in its journals, a line of the agent's, a signal.

agent=orchestrator-writer
worktree=../project.worktrees/$agent

pid_of() { belay agents --json | sed -nE "/\"agent_id\":\"$1\"/s/.*\"pid\":([0-9]+).*/\1/p"; }

# Reads belay's records as they are written, up to one with $1 in it, which is then `record`.
await() {
  while IFS= read -r -t 30 -u "$records" record; do
    [[ $record != *"$1"* ]] || return 0
  done
  fail "never happened: $1"
}
# From the kill to the time in that record.
ms_since_kill() {
  local at=${record#*'"at":"'}
  echo $((($(date -d "${at%%'"'*}" +%s%N) - killed_at) / 1000000))
}

# Shows the output of the agent, from the first line with $1 in it, up to one with $2 in it or its end.
watch_agent() {
  local line shown='' feed follower
  exec {feed}< <(exec belay logs -f "$agent")
  follower=$!
  followers+=("$follower")
  while IFS= read -r -t 30 -u "$feed" line; do
    line=${line%$'\r'}
    [[ $line != *"$1"* ]] || shown=yes
    [[ -z $shown ]] || printf '   %s|%s %s\n' "$dim" "$off" "$line"
    [[ -z $shown || -z $2 || $line != *"$2"* ]] || break
  done
  exec {feed}<&-
  kill "$follower" 2>/dev/null || true
  [[ -n $shown ]] || fail "the agent never wrote: $1"
}

say "A guardian and an agent start"
explain "The agent is a script (demo/agent.sh), in a git worktree of its own. It writes nine small files, line by line."
printf 'Write the multiplication tables of 1 to 9.\n' >TASK.md
git add TASK.md && git commit -q -m "The task"
exec {records}< <(exec belay log -f --json)
followers+=($!)
belay guard >"$scratch/guard.log" 2>&1 &
guardian=$!
await "a guardian starts"
show belay spawn --name writer --new-worktree tables --prompt "Do what TASK.md says" -- "$demo_folder/agent.sh"
watch_agent "I am $agent#1" "tables/4.txt"
show belay agents

say "kill -9, in the middle of a file"
victim=$(pid_of "$agent#1")
watch_agent "tables/5.txt" "tables/5.txt"
killed_at=$(date +%s%N)
show kill -9 "$victim"
await '"kind":"crashed"'
recorded_ms=$(ms_since_kill)
show belay agents
explain "Nothing else is needed: belay saves the work in a snapshot and starts a successor."
await "restarted after $agent#1"
await "running, pid"
echo "its death was recorded $recorded_ms ms after the kill; its successor ran $(ms_since_kill) ms after it"

say "It is back, and knows what it was doing"
explain "This is the resume text of its successor, from the file \$BELAY_RESUME_FILE:"
sed 's/^/   /' ".git/belay/run/$agent.resume.md" | sed -n 1,24p
echo "   ..."
explain "Deleting .claude does no harm: belay keeps its records in .git/belay."
show rm -rf .claude || echo "(the guardian is already restoring files)"
explain "The successor continues after the last byte:"
watch_agent "I am $agent#2" ""
show belay signal wait person --timeout 30
await "; finished"

say "What happened, and why"
show belay why writer
show belay agents --all

say "Nothing is lost"
explain "The snapshots of its work; the one taken at its death holds the half-written file:"
show belay snapshot list writer
at_death=$(sed -n 's/^| last snapshot: //p' ".git/belay/run/$agent.resume.md")
belay snapshot restore "$at_death" --into ../at-death >/dev/null
half=$(find ../at-death/tables -type f | sort | tail -n 1)
echo "$at_death: $(cat ../at-death/tables/* | wc -l) complete lines; ${half##*/} ends with '$(tail -n 1 "$half")'"
for file in ../at-death/tables/*; do
  cmp -s -n "$(stat -c %s "$file")" "$file" "$worktree/tables/${file##*/}" ||
    fail "${file##*/} doesn't begin with what the killed agent wrote"
done
mkdir ../expected
for n in {1..9}; do
  for k in {1..9}; do echo "$n x $k = $((n * k))"; done >"../expected/$n.txt"
done
show diff -r ../expected "$worktree/tables" || fail "the tables are not as expected"
echo "no difference: all nine tables are complete, and begin with every byte that the killed agent had written"
[[ -e .claude/state/identities/$agent.json ]] || fail "the state folder did not come back"
echo "the deleted state folder was restored automatically: $(find .claude/state -name '*.json' | wc -l) files"
