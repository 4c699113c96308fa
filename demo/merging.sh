# shellcheck shell=bash disable=SC2154
# Act two, sourced by belay-demo: finished branches land on main in order, tested; conflicts are reported. The
# agent of act one has sent MERGE_READY, so its branch is in the queue already.

# A branch with one commit, made in a worktree that is removed afterwards.
branch() {
  local name=$1 file=$2 text=$3
  git worktree add -q -b "$name" "../$name" main
  echo "$text" >"../$name/$file"
  git -C "../$name" add "$file"
  git -C "../$name" commit -q -m "$name: $text"
  git worktree remove "../$name"
}

say "Four branches are finished; main requires tests"
explain "The gate is a command in .claude/belay.yml of the main worktree: every line of the tables must be right."
mkdir -p .claude
cat >.claude/belay.yml <<'YAML'
merge:
  gates:
    - name: check
      run: "awk '$1 * $3 != $5 { exit 1 }' tables/*.txt /dev/null"
      timeout: 1m
YAML
sed 's/^/   /' .claude/belay.yml
belay merge-queue pause >/dev/null
branch title TITLE.txt "Tables"
branch title-too TITLE.txt "All the tables"
git worktree add -q -b wrong ../wrong main
mkdir ../wrong/tables && echo "2 x 2 = 5" >../wrong/tables/wrong.txt
git -C ../wrong add -A && git -C ../wrong commit -q -m "wrong: 2 x 2 = 5"
git worktree remove ../wrong
for name in title title-too wrong; do belay merge-queue add "$name" >/dev/null; done
show belay merge-queue list

say "They land one after the other"
show belay merge-queue unpause
await '"status":"gate_failed"'
await '"why":"reported to '
show belay merge-queue list --all
explain "Where the conflicting branch conflicts:"
show belay merge-queue status "$(belay merge-queue list --json | sed -nE 's/.*"entry_id": ?"(m[0-9]+)".*/\1/p' | head -n 1)"
show git log --oneline main
merged=$(git log --format=%s main | wc -l)
[[ $merged -eq 3 ]] || fail "main has $merged commits instead of 3"
git diff --quiet HEAD && [[ -e TITLE.txt && -e tables/9.txt ]] || fail "the checkout of main was not updated"
echo "the checkout of main is updated: $(find tables -type f | wc -l) tables, and the title"
