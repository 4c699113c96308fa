#include "engine/shell/programs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/text.h"

namespace belay {
namespace {

// clang-format off
constexpr ProgramRow kPrograms[] = {
    // Programs that only read.
    {"cat tac nl rev wc md5sum sha1sum sha256sum sha512sum cksum b2sum base64 base32 strings file stat "
     "zcat bzcat xzcat zless more ls dir vdir tree du realpath readlink cmp comm diff colordiff sdiff "
     "fold fmt expand unexpand column bat exa eza lsof namei getfacl",
     "-w= -L= -I= --exclude= --color=", "r", false, true},
    {"head tail", "-n= -c= --lines= --bytes= -s= --pid=", "r", false, true},
    {"less", "-o=w -O=w -p= -k=", "r", false, true},
    {"sort", "-o=w --output=w -k= --key= -t= -T= -S= --files0-from=r --compress-program=s", "r", false, true},
    {"uniq", "-f= -s= -w=", "rw", false, true},
    {"cut", "-d= -f= -c= -b=", "r", false, true},
    {"paste join", "-d= -t= -1= -2= -j= -o= -e= -a= -v=", "r", false, true},
    {"od hexdump xxd", "-t= -A= -j= -N= -n= -s= -l= -c= -g= -e= -f=r", "rw", false, true},
    {"grep egrep fgrep zgrep", "-e=F --regexp=F -f=f --file=f -m= -A= -B= -C= -d= -D= --include= --exclude= "
     "--exclude-dir= --color= --max-count=", "-r", false, true},
    {"rg ag ack", "-e=F --regexp=F -f=f --file=f -m= -A= -B= -C= -g= --glob= -t= -T= --type= --pre=s -j= -d= "
     "--max-depth=", "-r", false, true},
    {"jq yq", "-f=f --from-file=f --indent= --arg= --slurpfile=", "-r", false, true},
    {"tr echo printf true false yes seq date pwd which whereis type id whoami uname hostname basename dirname "
     "sleep expr test [ nproc ps pgrep uptime df free tput locale arch getconf groups logname "
     "printenv numfmt factor sync clear reset",
     "", "-", false, true},
    {"fd fdfind", "-e= -t= -d= -E= -c= -x=X -X=X --exec=X --exec-batch=X --type= --extension= --exclude=", "-", false, true},
    // Programs that write.
    {"tee sponge", "", "w", false, true},
    {"cp", "-t=t --target-directory=t -T?T --no-target-directory?T -S=", "r>w"},
    {"mv", "-t=t --target-directory=t -T?T --no-target-directory?T -S=", "w>w"},
    {"ln link", "-t=t --target-directory=t -T?T --no-target-directory?T -S=", "w>w"},
    {"install", "-t=t --target-directory=t -T?T --no-target-directory?T -m= -o= -g= -S=", "r>w"},
    {"rm rmdir unlink shred", "-n= --iterations= -s=", "w"},
    {"touch", "-t= -d= --date= -r=r", "w"},
    {"truncate", "-s= --size= -r=r", "w"},
    {"mkdir mkfifo", "-m= --mode=", "w"},
    {"chmod chown chgrp setfacl chattr setfattr", "-m= -x= -n= -v= --reference=r", "-w"},
    {"patch", "-i=r --input=r -o=w --output=w -p= -d=d -r=w", "w-"},
    {"split csplit", "-b= -l= -n= -a= --filter=s", "rw"},
    {"dd", "", "k"},
    {"tar bsdtar", "-f=b --file=b -C=d --directory=d -T=r --files-from=r -X=r --to-command=s -I=s "
     "--use-compress-program=s --checkpoint-action=s --rsh-command=s -F=s "
     "--info-script=s --new-volume-script=s --rmt-command=s", "b"},
    {"gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4", "-S= -o=w", "b"},
    {"zip", "-T -TT=s -x= -i=", "wr"},
    {"unzip", "-d=w -x=", "rb"},
    {"sed gsed", "-i?! --in-place?! -e=E --expression=E -f=f --file=f -l=", "er", false, true},
    {"awk gawk mawk nawk", "-i=i --include=i -F= -v= -f=f --file=f -E=f -e=C --source=C -l=Q --load=Q", "cr", false, true},
    {"ed ex vi vim nvim view", "-c=Q -S=Q -s=Q -u=r --cmd=Q -es?- -p", "W", false, false, true},
    {"emacs emacsclient", "-l=Q --load=Q -f=Q --funcall=Q --eval=Q -e=Q --script=Q -u=", "w"},
    {"nano pico code subl", "", "w"},
    {"prettier", "-w! --write! --config=r", "r"},
    {"clang-format black isort gofmt rustfmt autopep8 yapf", "-i?! -w! --style=", "w"},
    // Programs that run others.
    {"env", "-i?z --ignore-environment?z -u=z --unset=z -C=d --chdir=d -S=S --split-string=S -a= --argv0=", "=x"},
    {"nice", "-n= --adjustment=", "x"},
    {"nohup setsid chronic unbuffer catchsegv proxychains torsocks caffeinate rlwrap", "", "x"},
    {"timeout", "-k= --kill-after= -s= --signal=", "-x"},
    {"stdbuf", "-i= -o= -e= --input= --output= --error=", "x"},
    {"ionice", "-c= -n= -p= --class= --classdata=", "x"},
    {"chrt taskset", "-p=", "-x"},
    {"time", "-f= -o=w --format= --output=w", "x"},
    {"sudo", "-u= -g= -h= -p= -C= -D=d -R= -T= -r= -t= --user= --group= --chdir=d --host= --prompt=", "=x"},
    {"doas", "-u= -C=r", "x"},
    {"pkexec", "--user=", "x"},
    {"su", "-c=s --command=s -s= -g= -G= -w=", "-"},
    {"runuser", "-c=s --command=s -u= --user= -s= -g= -G= -w=", "x"},
    {"script", "-c=s --command=s -O=w -I=w -B=w -T=w -E=", "w"},
    {"xvfb-run", "-e=w -f=r -n= -p= -s= -w= --error-file=w --auth-file=r --server-num= --server-args= --wait=", "x"},
    {"watch", "-n= --interval=", "j"},
    {"flock", "-w= -E= -c=s --command=s --timeout=", "wx"},
    {"strace ltrace", "-o=w --output=w -e= -p= -s= -a= -E= -u= -P=", "x"},
    {"valgrind", "--log-file=w", "x"},
    {"gdb lldb", "-ex=Q --args=x -x=Q -o=Q --command=Q -p=", "Q"},
    {"perf record|perf stat|perf trace|rr record", "-e= -o=w --output=w -p= -F= -c= -r=", "x"},
    {"chroot", "--userspec= --groups=", "-x"},
    {"unshare", "-S= -G= -R= -w= --root= --wd=", "x"},
    {"fakeroot", "-l= -s=w -i=r", "x"},
    {"systemd-run", "-p= -u= -E= -M= -H=h --unit= --property= --setenv=", "x"},
    {"nsenter firejail bwrap proot setpriv prlimit numactl cgexec runcon dbus-run-session start-stop-daemon tmux screen "
     "dtach faketime ifne sem daemonize", "", "Q"},
    {"ip netns|ip vrf", "", "Q"},
    {"at batch crontab", "-f=Q -t=", "Q", false, false, true},
    {"xargs", "-a=r --arg-file=r -d= -E= -I=p -i?p -L= -n= -P= -s= --delimiter= --max-args= --max-procs= --replace?p --max-lines?", "X"},
    {"parallel", "-a=r --arg-file=r --joblog=w --results=w", "Q", false, false, true},
    {"npx bunx", "-p= --package= -c=s --call=s", "x", true},
    {"entr", "-s=s", "x"},
    {"ccache distcc sccache", "", "x"},
    // Programs that talk to other machines.
    {"curl", "-o=w --output=w -T=r --upload-file=r -d=@ --data=@ --data-binary=@ --data-raw= --data-urlencode=@ --json=@ "
     "-F=@ --form=@ -K=r --config=r -b= --cookie= -c=w --cookie-jar=w -D=w --dump-header=w -H=@ --header=@ -u= --user= "
     "-A= -e= -x=h --proxy=h -X= --request= -m= --max-time= --cacert=r --cert=r -E=r --key=r -w= --write-out= --url=h "
     "--retry= --connect-timeout= --resolve= -r= -Y= -y= -z= -C= --netrc-file=r", "h", true},
    {"wget", "-O=w --output-document=w -o=w --output-file=w -a=w -P=w --directory-prefix=w -i=r --input-file=r "
     "--post-file=r --body-file=r --post-data= --header= -U= --user= --password= -e= --method= --body-data= -t= -T=", "h", true},
    {"rsync", "-e=s --rsh=s --exclude= --include= --files-from=r --exclude-from=r --password-file=r --log-file=w", "m", true},
    {"scp", "-i=r -F=r -S=s -o=O -P= -l= -c= -J=h", "m", true},
    {"sftp", "-b=r -i=r -F=r -S=s -o=O -P= -J=h", "h", true},
    {"ssh autossh mosh", "-i=r -F=r -o=O -p= -l= -L= -R= -D= -J=h -E=w -c= -m= -b= -e= -I= -O= -Q= -S= -W=h -w=", "h-", true},
    {"sshpass", "-p= -f=r -P=", "x"},
    {"nc ncat netcat nc.traditional nc.openbsd", "-e=s -c=s --exec=s --sh-exec=s -p= -s= -w= -q= -X= -x=h -o=w --output=w", "h-", true},
    {"socat", "", "A", true},
    {"telnet ftp lftp tftp ncftp ncftpput", "-e=b -f=r -u= -p= -c=", "h", true},
    {"openssl", "-in=r -out=w -connect=h -CAfile=r -key=r -cert=r -inkey=r -passin= -passout=", "-", true},
    {"gh glab hub aws gcloud az gsutil doctl heroku flyctl vercel netlify wrangler kubectl helm s3cmd rclone mc "
     "terraform tofu pulumi ansible ansible-playbook firebase supabase fly twine mail mailx sendmail msmtp mutt swaks "
     "xh httpie http https websocat grpcurl wscat aria2c axel yt-dlp rsh rcp rlogin smbclient s_client "
     "tailscale cloudflared ngrok croc magic-wormhole", "-f=r --file=r --body-file=r -F=@ "
     "--template-file=r --cli-input-json=r --from-file=@", "-", true},
    {"dig nslookup host drill kdig ping ping6 traceroute tracepath mtr whois nmap", "-f=r", "h", true},
    {"mysql psql redis-cli mongo mongosh sqlcmd mongodump mysqldump pg_dump", "-f=r --file=r -h=h --host=h -o=w "
     "--output=w -L=w --log-file=w -p? -u= -d= -U= -P= -D= -e=C --execute=C -c=C --command=C --eval=C", "-", true},
    {"sqlite3", "-cmd=C -init=Q", "bc", false, false, true},
    // Package managers.
    {"npm install|npm i|npm ci|npm publish|npm view|npm login|npm audit|npm add|npm update", "", "-", true},
    {"yarn install|yarn add|yarn publish|pnpm install|pnpm add|pnpm publish|bun install|bun add|bun publish", "", "-", true},
    {"npm exec|npm x|pnpm exec|pnpm dlx|yarn dlx|yarn exec|bun x|uv run|poetry run|pipenv run|pdm run|hatch run|"
     "bundle exec|conda run|direnv exec|dotenv run|mise exec", "-c=s --call=s -p= -n=", "x", true},
    {"pip install|pip3 install|pip download|pip3 download|uv pip|uv sync|uv add|poetry install|poetry add|"
     "poetry publish|cargo publish|cargo install|cargo fetch|cargo update|go get|go install|go mod|gem install|"
     "gem push|bundle install|composer install|composer require", "-r=r --requirement=r", "-", true},
    {"apt-get apt yum dnf apk pacman brew snap flatpak port zypper", "", "-", true},
    {"docker push|docker pull|docker login|docker build|docker run|docker compose|podman push|podman pull|"
     "podman run|podman build|docker buildx", "-f=r --file=r --env-file=r", "-", true},
    {"docker exec|podman exec", "-u= -w= -e= --env= --env-file=r", "-x"},
    // make and its like: what they run is in their own files.
    {"make gmake ninja just task", "-C=d -f=r --file=r --makefile=r -j? --eval=s -I= -o= -W= -k?- -l?-", "-", false, false, false, true},
    {"cmake", "-P=r -C=r -S=r -B=w -D?- -G= --build=- --preset= --target= -j=", "-", false, false, false, true},
    {"npm run|npm test|npm start|npm run-script|yarn run|yarn test|yarn start|pnpm run|pnpm test|pnpm start|bun run|bun test|deno run|"
     "deno test|deno task", "", "-", false, false, false, true},
    // git, by its verbs. Its own options are read before (effects_git).
    {"git log|git shortlog|git whatchanged|git reflog|git rev-list|git diff-tree|git ls-tree|git show|git diff|"
     "git blame|git annotate|git cat-file|git describe|git rev-parse|git name-rev|git merge-base|"
     "git for-each-ref|git status|git ls-files|git check-ignore|git diff-index|git diff-files|git range-diff|"
     "git show-ref|git var|git version|git count-objects|git fsck|git verify-commit|git help",
     "-n= -L= -S= -G= --format= --pretty= -O= --output=w -o=w --contents=r -f=r -m= -A= -B= -C= -e=", "g", false, true},
    {"git grep", "-O?s --open-files-in-pager?s -e= -f=r -A= -B= -C= -m= --max-depth= --threads=", "-g", false, true},
    {"git push|git fetch|git pull|git ls-remote|git remote-update|git send-email|git request-pull|"
     "git send-pack|git fetch-pack|git svn|git p4|git lfs|git archive", "--exec=s --receive-pack=s --upload-pack=s -o= --output=w "
     "-j= --depth= --remote=h --sendmail-cmd=s --smtp-server= --to= --cc= --bcc= --from=", "l", true},
    {"git clone", "-u=s --upload-pack=s -o= --origin= -b= --branch= -j= --depth= --reference=r -c=G --config=G --template=Q", "l", true},
    {"git checkout|git restore|git switch", "-b= -B= -s= --source= --orphan= -c= -C= --conflict= --pathspec-from-file=r", "v"},
    {"git mv|git rm|git apply|git am|git checkout-index|git update-index", "-e= --exclude= --directory= -p? -C? -x --prefix=w", "v"},
    {"git clean", "", "-"},
    {"git stash", "-m= --message= --pathspec-from-file=r", "-v"},
    {"git reset|git revert|git merge|git cherry-pick|git add|git commit|git branch|git tag|git worktree|git init|"
     "git config|git notes|git gc|git prune|git repack|git update-ref|git read-tree|git write-tree|git commit-tree|"
     "git hash-object|git remote|git sparse-checkout|git bundle|git replace|git pack-refs|git maintenance|git symbolic-ref|"
     "git merge-tree|git merge-file|git rerere|git citool|git gui|git cherry|git column|git fast-export|git fast-import|"
     "git index-pack|git pack-objects|git unpack-objects|git verify-pack|git verify-tag|git stripspace|git patch-id|"
     "git mktree|git mktag|git bugreport|git diagnose|git interpret-trailers|git multi-pack-index|git show-branch|"
     "git get-tar-commit-id|git check-attr|git check-mailmap|git check-ref-format|git fmt-merge-msg|"
     "git mailinfo|git mailsplit|git merge-index|git merge-one-file|git quiltimport|git update-server-info",
     "-m= -F=r --file=r -C= -c= --author= --date= -t= -X= -s= --template=r -u=", "-"},
    {"git rebase", "-x=s --exec=s --onto= -s= -X=", "-"},
    {"git bisect", "", "-"},
    {"git submodule", "", "-", true},
    {"git filter-branch", "--tree-filter=s --index-filter=s --msg-filter=s --env-filter=s --commit-filter=s --parent-filter=s "
     "--tag-name-filter=s --setup=s", "-"},
    {"git difftool|git mergetool", "-x=s --extcmd=s -t= --tool=", "-", false, false, false, true},
    {"git format-patch", "-o=w --output-directory=w --output=w", "-"},
    {"find", "", "-", false, true},
    // Interpreters.
    {"python python2 python3 pypy pypy3", "-c=C -m=M -W= -X=", "r-", false, false, true},
    {"perl", "-i?! -e=C -E=C -I?- -M?- -m?- -F?- -l?- -0?- -x?-", "r", false, false, true},
    {"ruby", "-i?! -e=C -I= -r= -C=d -F?-", "r", false, false, true},
    {"node nodejs", "-e=C --eval=C -p=C --print=C -pe=C -r=r --require=r --import=r --env-file=r --input-type=", "r-", false, false, true},
    {"bun deno", "-e=C --eval=C -p=C --print=C", "r-", true, false, true},
    {"deno eval|deno repl", "", "c", true},
    {"php", "-r=C -f=r -B=C -R=C -E=C -d= -c=r", "r-", false, false, true},
    {"lua luajit", "-e=C -l=", "r-", false, false, true},
    {"Rscript R", "-e=C -f=r --file=r", "r-", false, false, true},
    {"tclsh expect", "-c=C -f=r", "r-", false, false, true},
    {"osascript", "-e=C -l=", "r-", false, false, true},
    {"gnuplot julia elixir scala groovy jshell pwsh powershell ghci racket guile swipl octave", "-e=C -E=C --eval=C -c=C -Command=C", "r-", false, false, true},
};

// clang-format on

constexpr std::string_view kShellPrograms[] = {"sh",  "bash", "dash", "zsh",   "ksh",
                                               "ash", "mksh", "fish", "rbash", "busybox-sh",
                                               "csh", "tcsh", "nu",   "elvish"};

constexpr std::string_view kCommandVariables[] = {"EDITOR",
                                                  "VISUAL",
                                                  "PAGER",
                                                  "GIT_SSH_COMMAND",
                                                  "GIT_SSH",
                                                  "GIT_PAGER",
                                                  "GIT_EDITOR",
                                                  "GIT_ASKPASS",
                                                  "GIT_EXTERNAL_DIFF",
                                                  "GIT_SEQUENCE_EDITOR",
                                                  "MANPAGER",
                                                  "SSH_ASKPASS",
                                                  "GIT_PROXY_COMMAND",
                                                  "LESSOPEN",
                                                  "LESSCLOSE",
                                                  "RSYNC_RSH",
                                                  "CVS_RSH",
                                                  "TAR_OPTIONS",
                                                  "BROWSER",
                                                  "FCEDIT",
                                                  "SUDO_ASKPASS",
                                                  "SUDO_EDITOR",
                                                  "SYSTEMD_PAGER",
                                                  "RUSTC_WRAPPER"};
constexpr std::string_view kChangingVariables[] = {"BASH_ENV",
                                                   "ENV",
                                                   "LD_PRELOAD",
                                                   "LD_LIBRARY_PATH",
                                                   "PS4",
                                                   "PS0",
                                                   "PROMPT_COMMAND",
                                                   "PERL5OPT",
                                                   "PERL5LIB",
                                                   "RUBYOPT",
                                                   "NODE_OPTIONS",
                                                   "PYTHONSTARTUP",
                                                   "PYTHONPATH",
                                                   "LD_AUDIT",
                                                   "SHELLOPTS",
                                                   "BASHOPTS",
                                                   "MAKEFLAGS",
                                                   "GIT_EXEC_PATH",
                                                   "GIT_CONFIG_COUNT",
                                                   "GIT_CONFIG_GLOBAL",
                                                   "GIT_CONFIG_SYSTEM",
                                                   "GIT_CONFIG_PARAMETERS",
                                                   "GIT_TEMPLATE_DIR",
                                                   "GIT_DIR",
                                                   "BASH_ALIASES",
                                                   "BASH_CMDS",
                                                   "BASH_LOADABLES_PATH",
                                                   "PYTHONHOME",
                                                   "RUBYLIB",
                                                   "NODE_PATH",
                                                   "GOFLAGS",
                                                   "JAVA_TOOL_OPTIONS",
                                                   "RIPGREP_CONFIG_PATH",
                                                   "VIMINIT",
                                                   "EXINIT"};
constexpr std::string_view kShellVariables[] = {"_",
                                                "RANDOM",
                                                "SRANDOM",
                                                "SECONDS",
                                                "LINENO",
                                                "BASHPID",
                                                "BASH_ARGV0",
                                                "BASH_ARGC",
                                                "BASH_ARGV",
                                                "BASH_COMMAND",
                                                "BASH_SUBSHELL",
                                                "PIPESTATUS",
                                                "EPOCHSECONDS",
                                                "EPOCHREALTIME",
                                                "FUNCNAME",
                                                "DIRSTACK",
                                                "GROUPS",
                                                "UID",
                                                "EUID",
                                                "PPID",
                                                "PWD",
                                                "OLDPWD",
                                                "OPTIND",
                                                "COLUMNS",
                                                "LINES",
                                                "HISTCMD"};

// The names of all rows in a hash table, so that finding one takes no time. It is made by the
// compiler: sorting them would exceed what clang does at compile time.
struct NamedRow {
  std::string_view name;
  const ProgramRow* row = nullptr;  // null: the slot is free
};

constexpr char SeparatorOf(const ProgramRow& row) {
  return row.names.find('|') == std::string_view::npos && row.names.find("git ") != 0 ? ' ' : '|';
}

constexpr std::size_t kSlots = 2048;
constexpr std::size_t SlotOf(std::string_view name) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash % kSlots;
}

struct ProgramIndex {
  std::array<NamedRow, kSlots> slots = {};
  bool twice = false;

  constexpr void Add(std::string_view name, const ProgramRow& row) {
    std::size_t slot = SlotOf(name);
    for (; slots[slot].row != nullptr; slot = (slot + 1) % kSlots) {
      twice = twice || slots[slot].name == name;
    }
    slots[slot] = {name, &row};
  }
};

constexpr ProgramIndex kIndex = [] {
  ProgramIndex index;
  for (const ProgramRow& row : kPrograms) {
    for (std::size_t at = 0; at <= row.names.size();) {
      const std::size_t end = std::min(row.names.find(SeparatorOf(row), at), row.names.size());
      index.Add(row.names.substr(at, end - at), row);
      at = end + 1;
    }
  }
  return index;
}();
static_assert(!kIndex.twice, "a program has two rows");

const ProgramRow* FindRow(std::string_view name) {
  std::size_t slot = SlotOf(name);
  while (kIndex.slots[slot].row != nullptr && kIndex.slots[slot].name != name) {
    slot = (slot + 1) % kSlots;
  }
  return kIndex.slots[slot].row;
}

}  // namespace

const ProgramRow* FindProgram(std::string_view name) {
  const bool python =
      name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == name.npos;
  return FindRow(python ? "python" : name);
}

const ProgramRow* FindVerb(std::string_view name, std::string_view verb) {
  return FindRow(std::string(name) + " " + std::string(verb));
}

OptionUse FindOption(const ProgramRow& row, std::string_view option) {
  const std::string_view list = row.options;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    const std::string_view one = list.substr(at, end - at);
    at = end + 1;
    if (!one.starts_with(option)) continue;
    const std::string_view rest = one.substr(option.size());
    if (rest.empty()) return {.listed = true};
    if (rest == "!") return {.listed = true, .role = '!'};
    if (rest[0] != '=' && rest[0] != '?') continue;
    return {.listed = true, .value = rest[0] == '=', .role = rest.size() > 1 ? rest[1] : '-'};
  }
  return {};
}

bool IsShellProgram(std::string_view name) {
  return (name.ends_with("sh") || name == "nu") && IsIn(kShellPrograms, name);
}
bool NamesCommand(std::string_view variable) { return IsIn(kCommandVariables, variable); }
bool ChangesPrograms(std::string_view variable) {
  return IsIn(kChangingVariables, variable) || variable.starts_with("BASH_FUNC_");
}
bool SetByShell(std::string_view variable) { return IsIn(kShellVariables, variable); }

}  // namespace belay
