// The table of programs: a row says what one does with its arguments. programs.h explains the
// columns and roles, and CONTRIBUTING.md how to add a row. For engine/shell/programs.cc only.

#ifndef BELAY_ENGINE_SHELL_PROGRAM_TABLE_H_
#define BELAY_ENGINE_SHELL_PROGRAM_TABLE_H_

#include "engine/shell/programs.h"

namespace belay {

// clang-format off
inline constexpr ProgramRow kPrograms[] = {
    // Programs that only read.
    {"cat tac nl rev wc md5sum sha1sum sha256sum sha512sum cksum b2sum base64 base32 strings file stat "
     "zcat bzcat xzcat zless more ls dir vdir du realpath readlink cmp comm diff colordiff "
     "fold fmt expand unexpand column bat batcat exa eza lsof namei getfacl delta glow mdcat hexyl jless fx gron "
     "xmllint shasum sha224sum sha384sum pr most tokei scc nm objdump readelf ldd size ident look "
     "yamllint jsonlint check-jsonschema jsonschema ajv actionlint shellcheck hadolint markdownlint mypy pyright flake8 "
     "pylint cspell typos vale",
     "-w= -L= -I= --exclude= --color= -c= -s= --schemafile=r --config=r", "r", kLooks},
    {"tree sdiff pygmentize cloc", "-o=w -w= -L= -I= -P= -f= -l=", "r", kLooks},
    {"head tail", "-n= -c= --lines= --bytes= -s= --pid=", "r", kLooks},
    {"less", "-o=w -O=w -p= -k=", "r", kLooks},
    {"sort", "-o=w --output=w -k= --key= -t= -T= -S= --files0-from=r --compress-program=s", "r", kLooks},
    {"uniq", "-f= -s= -w=", "rw", kLooks},
    {"cut", "-d= -f= -c= -b=", "r", kLooks},
    {"paste join", "-d= -t= -1= -2= -j= -o= -e= -a= -v=", "r", kLooks},
    {"od hexdump xxd", "-t= -A= -j= -N= -n= -s= -l= -c= -g= -e= -f=r", "rw", kLooks},
    {"grep egrep fgrep zgrep", "-e=F --regexp=F -f=f --file=f -m= -A= -B= -C= -d= -D= --include= --exclude= "
     "--exclude-dir= --color= --max-count=", "-r", kLooks},
    {"rg ag ack", "-e=F --regexp=F -f=f --file=f -m= -A= -B= -C= -g= --glob= -t= -T= --type= --pre=s -j= -d= "
     "--max-depth=", "-r", kLooks},
    {"jq", "-f=f --from-file=f --indent= --arg= --slurpfile= --argjson= --rawfile=", "-r", kLooks},
    {"yq dasel", "-f=r --from-file=f -i?! --inplace?! --in-place?! -I= -o= -p= -r= -w= --indent= --selector=", "-r"},
    {"tr echo printf true false yes seq date pwd which whereis type id whoami uname hostname basename dirname "
     "sleep expr test [ nproc ps pgrep uptime df tput locale arch getconf groups logname "
     "printenv numfmt factor sync clear reset cal bc man info apropos who w last vmstat free top htop",
     "", "-", kLooks},
    {"dc", "-e=q --expression=q -f=r", "r", kInterprets},
    {"fd fdfind", "-e= -t= -d= -E= -c= -x=X -X=X --exec=X --exec-batch=X --type= --extension= --exclude=", "-", kLooks},
    // Programs that write.
    {"tee sponge", "", "w", kLooks},
    {"cp", "-t=t --target-directory=t -T?T --no-target-directory?T -S= -l! --link!", "r>w"},
    {"mv", "-t=t --target-directory=t -T?T --no-target-directory?T -S=", "R>w"},
    {"ln", "-t=t --target-directory=t -T?T --no-target-directory?T -S= -s?y --symbolic?y -r?Y --relative?Y", "w>w"},
    {"link", "", "w"},
    {"install ginstall", "-t=t --target-directory=t -T?T --no-target-directory?T -m= -o= -g= -S= -d! --directory!", "r>w"},
    {"rm rmdir unlink shred rimraf trash trash-put del-cli del trash-cli srm wipe", "-n= --iterations= -s= -g= --glob=", "R"},
    {"gio trash|gio remove", "", "R"},
    {"rename prename file-rename perl-rename", "-e=C", "-w"},
    {"mmv cpmv", "", "w"},
    {"touch", "-t= -d= --date= -r=r", "w"},
    {"fallocate", "-l= -o= --length= --offset=", "w"},
    {"dos2unix unix2dos", "", "w"},
    {"iconv recode", "-f= -t= -o=w --output=w", "r", kLooks},
    {"gofumpt goimports shfmt", "-w! -i= -ln=", "r"},
    {"eslint stylelint markdownlint-cli2 codespell", "--fix! -w! -i= -I= -L= --config=r -c=r --format= -f=", "r"},
    {"ruff check|biome check|biome lint", "--fix! --write! --config=r", "r"},
    {"ruff format|biome format|dprint fmt|taplo fmt|deno fmt", "--config=r", "w"},
    {"yamlfmt stylua", "", "w"},
    {"crudini", "--set! --del! --merge!", "r-"},
    {"xmlstarlet augtool", "", "b"},
    {"truncate", "-s= --size= -r=r", "w"},
    {"mkdir mkfifo", "-m= --mode=", "w"},
    {"chmod chown chgrp chattr", "--reference=r -R?v --recursive?v -x?F -w?F -r?F -X?F -s?F -t?F", "-w"},
    {"setfacl setfattr", "-R?v --recursive?v -m= -x= -n= -v= -M=r -X=r", "w"},
    {"patch", "-i=D --input=D -o=w --output=w -p= -d=d -r=w", "wD", kPatches},
    {"split csplit", "-b= -l= -n= -a= --filter=s", "rw"},
    {"dd", "", "k"},
    // tar: FindRow reads its letters.
    {"tar c|tar r|tar u", "-f=w --file=w -C=d --directory=d -T=r --files-from=r -X=r -I=s --use-compress-program=s "
     "--checkpoint-action=s --rsh-command=s -F=s --info-script=s --new-volume-script=s --rmt-command=s -g=w -b= -V= -N= "
     "-H= --exclude= --transform= --owner= --group= --mode= --mtime= --format= --remove-files?U", "r"},
    {"tar t|tar d", "-f=r --file=r -C=d --directory=d -T=r -X=r -I=s --use-compress-program=s --checkpoint-action=s "
     "--rsh-command=s -F=s --info-script=s --new-volume-script=s --rmt-command=s -b= -V= -N= -H= --exclude=", "-"},
    {"tar x|bsdtar x|gtar x", "-f=r --file=r -C=d --directory=d -T=r -X=r --to-command=s -I=s --use-compress-program=s "
     "--checkpoint-action=s --rsh-command=s -F=s --info-script=s --new-volume-script=s --rmt-command=s -b= -V= -N= -H= "
     "--exclude= --strip-components= --transform= --owner= --group= --mode=", "w", kFills},
    {"cpio pax", "-D=d -F=b -O=w -I=r -E=r", "-", kFills},
    {"7z x|7za x|7z e|7za e|7zz x|unar", "-o?a", "r-", kFills},
    {"7z a|7za a|7zz a", "", "wr"},
    {"unrar x|unrar e|rar x|rar e", "", "r-a", kFills},
    {"ar x|gar x", "", "r", kFills},
    {"gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4", "-S= -o=w -r?v --recursive?v", "b"},
    {"zip", "-T -TT=s -x= -i= -m?U --move?U", "wr"},
    {"unzip", "-d=d -x=", "rw", kFills},
    {"sed gsed", "-i?! --in-place?! -e=E --expression=E -f=P --file=P -l=", "er", kLooks},
    {"awk gawk mawk nawk", "-i=i --include=i -F= -v= -f=P --file=P -E=P -e=C --source=C -l=Q --load=Q", "cr", kLooks},
    {"ed red", "-p=", "W", kInterprets},
    {"ex", "-c=q -S=Q -u=r --cmd=q", "W", kInterprets},
    {"vi vim nvim view vimdiff gvim", "-c=q -S=Q -s=Q -u=r -U=r -i=w -w=w -W=w --cmd=q -es?- -Es?- -p", "W", kInterprets},
    {"emacs emacsclient", "-l=Q --load=Q -f=Q --funcall=Q --eval=q -e=q --script=Q -u=", "w"},
    {"nano pico micro joe mcedit helix hx kak code subl gedit kate", "", "w"},
    {"prettier", "-w! --write! --config=r", "r"},
    {"clang-format gofmt autopep8 yapf", "-i?! -w! --style=", "r"},
    {"black isort rustfmt", "-l= -c= --line-length= --config=r --edition=", "w"},
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
    {"at batch crontab", "-f=Q -t=", "Q", kInterprets},
    {"xargs", "-a=r --arg-file=r -d= -E= -I=p -i?p -L= -n= -P= -s= --delimiter= --max-args= --max-procs= --replace?p --max-lines?", "X"},
    {"parallel", "-a=r --arg-file=r --joblog=w --results=w", "Q", kInterprets},
    {"npx bunx", "-p= --package= -c=s --call=s", "x", kConnects},
    {"entr", "-s=s", "x"},
    {"ccache distcc sccache", "", "x"},
    // Programs that talk to other machines.
    {"curl", "-O?o --remote-name?o --remote-name-all?o --output-dir=d --trace=w --trace-ascii=w --stderr=w --libcurl=w -o=w --output=w -T=r --upload-file=r -d=@ --data=@ --data-binary=@ --data-raw= --data-urlencode=@ --json=@ "
     "-F=@ --form=@ -K=r --config=r -b= --cookie= -c=w --cookie-jar=w -D=w --dump-header=w -H=@ --header=@ -u= --user= "
     "-A= -e= -x=h --proxy=h -X= --request= -m= --max-time= --cacert=r --cert=r -E=r --key=r -w= --write-out= --url=h "
     "--retry= --connect-timeout= --resolve= -r= -Y= -y= -z= -C= --netrc-file=r", "h", kConnects},
    {"wget", "-O=w --output-document=w -o=w --output-file=w -a=w -P=d --directory-prefix=d -i=r --input-file=r "
     "--post-file=r --body-file=r --post-data= --header= -U= --user= --password= -e= --method= --body-data= -t= -T=", "u", kConnects},
    {"rsync", "-e=s --rsh=s --exclude= --include= --files-from=r --exclude-from=r --password-file=r --log-file=w -f= "
     "--filter= --backup-dir=w --partial-dir=w --compare-dest=r --link-dest=r", "m>n", kConnects},
    {"scp", "-i=r -F=r -S=s -o=O -P= -l= -c= -J=h", "m>n", kConnects},
    {"sftp", "-b=r -i=r -F=r -S=s -o=O -P= -J=h", "h", kConnects},
    {"ssh autossh mosh", "-i=r -F=r -o=O -p= -l= -L= -R= -D= -J=h -E=w -c= -m= -b= -e= -I= -O= -Q= -S= -W=h -w=", "h-", kConnects},
    {"sshpass", "-p= -f=r -P=", "x"},
    {"nc ncat netcat nc.traditional nc.openbsd", "-e=s -c=s --exec=s --sh-exec=s -p= -s= -w= -q= -X= -x=h -o=w --output=w", "h-", kConnects},
    {"socat", "", "A", kConnects},
    {"telnet ftp lftp tftp ncftp ncftpput", "-e=b -f=r -u= -p= -c=", "h", kConnects},
    {"openssl", "-in=r -out=w -connect=h -CAfile=r -key=r -cert=r -inkey=r -passin= -passout=", "-", kConnects},
    {"gh glab hub aws gcloud az gsutil doctl heroku flyctl vercel netlify wrangler kubectl helm s3cmd rclone mc "
     "terraform tofu pulumi ansible ansible-playbook firebase supabase fly twine mail mailx sendmail msmtp mutt swaks "
     "xh httpie http https websocat grpcurl wscat aria2c axel yt-dlp rsh rcp rlogin smbclient s_client "
     "tailscale cloudflared ngrok croc magic-wormhole", "-f=r --file=r --body-file=r -F=@ "
     "--template-file=r --cli-input-json=r --from-file=@", "-", kConnects},
    {"dig nslookup host drill kdig ping ping6 traceroute tracepath mtr whois nmap", "-f=r", "h", kConnects},
    {"mysql psql redis-cli mongo mongosh sqlcmd mongodump mysqldump pg_dump", "-f=r --file=r -h=h --host=h -o=w "
     "--output=w -L=w --log-file=w -p? -u= -d= -U= -P= -D= -e=C --execute=C -c=C --command=C --eval=C", "-", kConnects},
    {"sqlite3", "-cmd=C -init=Q", "bc", kInterprets},
    // Package managers.
    {"npm install|npm i|npm ci|npm publish|npm view|npm login|npm audit|npm add|npm update", "", "-", kConnects},
    {"yarn install|yarn add|yarn publish|pnpm install|pnpm add|pnpm publish|bun install|bun add|bun publish", "", "-", kConnects},
    {"npm exec|npm x|pnpm exec|pnpm dlx|yarn dlx|yarn exec|bun x|uv run|poetry run|pipenv run|pdm run|hatch run|"
     "bundle exec|conda run|direnv exec|dotenv run|mise exec", "-c=s --call=s -p= -n=", "x", kConnects},
    {"pip install|pip3 install|pip download|pip3 download|uv pip|uv sync|uv add|poetry install|poetry add|"
     "poetry publish|cargo publish|cargo install|cargo fetch|cargo update|go get|go install|go mod|gem install|"
     "gem push|bundle install|composer install|composer require", "-r=r --requirement=r", "-", kConnects},
    {"apt-get apt yum dnf apk pacman brew snap flatpak port zypper", "", "-", kConnects},
    {"docker push|docker pull|docker login|docker build|docker run|docker compose|podman push|podman pull|"
     "podman run|podman build|docker buildx", "-f=r --file=r --env-file=r", "-", kConnects},
    {"docker exec|podman exec", "-u= -w= -e= --env= --env-file=r", "-x"},
    // make and its like: what they run is in their own files.
    {"make gmake ninja just task", "-C=d -f=r --file=r --makefile=r -j? --eval=s -I= -o= -W= -k?- -l?-", "-", kBuilds},
    {"cmake", "-P=r -C=r -S=r -B=w -D?- -G= --build=- --preset= --target= -j=", "-", kBuilds},
    {"npm run|npm test|npm start|npm run-script|yarn run|yarn test|yarn start|pnpm run|pnpm test|pnpm start|bun run|bun test|deno run|"
     "deno test|deno task", "", "-", kBuilds},
    {"claude codex gemini", "--settings=r --mcp-config=r -p= --print= --model=", "-", kConnects | kBuilds},
    {"belay", "", "-"},
    // git, by its verbs. Its own options are read before (git.cc); V: so are the operands of these.
    {"git log|git shortlog|git whatchanged|git reflog|git rev-list|git diff-tree|git ls-tree|git show|git diff|"
     "git blame|git annotate|git cat-file|git describe|git rev-parse|git name-rev|git merge-base|"
     "git for-each-ref|git status|git ls-files|git check-ignore|git diff-index|git diff-files|git range-diff|"
     "git show-ref|git var|git version|git count-objects|git fsck|git verify-commit|git help",
     "-n= -L= -S= -G= --format= --pretty= -O= --output=w -o=w --contents=r -f=r -m= -A= -B= -C= -e=", "g", kLooks},
    {"git grep", "-O?s --open-files-in-pager?s -e= -f=r -A= -B= -C= -m= --max-depth= --threads=", "-g", kLooks},
    {"git push|git fetch|git pull|git ls-remote|git remote-update|git send-email|git request-pull|"
     "git send-pack|git fetch-pack|git svn|git p4|git lfs", "--exec=s --receive-pack=s --upload-pack=s -o= --output=w "
     "-j= --depth= --remote=h --sendmail-cmd=s --smtp-server= --to= --cc= --bcc= --from=", "l", kConnects},
    {"git archive", "-o=w --output=w --exec=s --remote=h --format= --prefix= --add-file=r", "-"},
    {"git bundle", "", "-b-"},
    {"git config", "-f=b --file=b --blob= --type= --default=", "-"},
    {"git init", "--template=Q --separate-git-dir=Q -b= --initial-branch=", "-"},
    {"git interpret-trailers", "--in-place! --trailer= --where= --if-exists= --if-missing=", "r"},
    {"git merge-file", "-L=", "wr"},
    {"git clone", "-u=s --upload-pack=s -o= --origin= -b= --branch= -j= --depth= --reference=r -c=G --config=G --template=Q", "l", kConnects},
    {"git checkout|git switch", "-b= -B= --orphan= -c= -C= --conflict= --pathspec-from-file=r", "V"},
    {"git restore", "-s= --source= --conflict= --pathspec-from-file=r", "V"},
    {"git reset|git stash|git rm|git mv|git read-tree", "-m= --message= --pathspec-from-file=r --prefix= --index-output=w", "V"},
    {"git checkout-index", "--prefix=w --stage=", "V"},
    {"git apply|git am", "-p= -C= --exclude= --include= --directory= --whitespace= --patch-format=", "D", kPatches},
    {"git clean|git update-index", "", "-"},
    {"git revert|git merge|git cherry-pick|git add|git commit|git branch|git tag|git worktree|"
     "git notes|git gc|git prune|git repack|git update-ref|git write-tree|git commit-tree|"
     "git hash-object|git remote|git sparse-checkout|git replace|git pack-refs|git maintenance|git symbolic-ref|"
     "git merge-tree|git rerere|git citool|git gui|git cherry|git column|git fast-export|git fast-import|"
     "git index-pack|git pack-objects|git unpack-objects|git verify-pack|git verify-tag|git stripspace|git patch-id|"
     "git mktree|git mktag|git bugreport|git diagnose|git multi-pack-index|git show-branch|"
     "git get-tar-commit-id|git check-attr|git check-mailmap|git check-ref-format|git fmt-merge-msg|"
     "git mailinfo|git mailsplit|git merge-index|git merge-one-file|git quiltimport|git update-server-info",
     "-m= -F=r --file=r -C= -c= --author= --date= -t= -X= -s= --template=r -u=", "-"},
    {"git rebase", "-x=s --exec=s --onto= -s= -X=", "-"},
    {"git bisect", "", "-"},
    {"git submodule", "", "-", kConnects},
    {"git filter-branch", "--tree-filter=s --index-filter=s --msg-filter=s --env-filter=s --commit-filter=s --parent-filter=s "
     "--tag-name-filter=s --setup=s", "-"},
    {"git difftool|git mergetool", "-x=s --extcmd=s -t= --tool=", "-", kBuilds},
    {"git format-patch", "-o=w --output-directory=w --output=w", "-"},
    {"find", "", "-", kLooks},
    // Interpreters.
    {"python python2 python3 pypy pypy3", "-c=C -m=M -W= -X=", "r-", kInterprets},
    {"-m json.tool|-m tabnanny", "--indent=", "rw", kLooks},  // modules of python
    {"-m http.server|-m venv|-m pip|-m pytest|-m unittest|-m mypy|-m pylint|-m flake8|-m ruff|-m compileall|-m pdb|"
     "-m doctest|-m coverage|-m build|-m twine", "", "-", kBuilds},
    {"-m timeit", "-s=C -n= -r= -u=", "c"},
    {"-m cProfile|-m profile|-m trace", "-o=w -s=", "b", kBuilds},
    {"perl", "-i?! -e=C -E=C -I?- -M?- -m?- -F?- -l?- -0?- -x?-", "r", kInterprets},
    {"ruby", "-i?! -e=C -I= -r= -C=d -F?-", "r", kInterprets},
    {"node nodejs", "-e=C --eval=C -p=C --print=C -pe=C -r=r --require=r --import=r --env-file=r --input-type=", "r-", kInterprets},
    {"bun deno", "-e=C --eval=C -p=C --print=C", "r-", kConnects | kInterprets},
    {"deno eval|deno repl", "", "c", kConnects},
    {"php", "-r=C -f=r -B=C -R=C -E=C -d= -c=r", "r-", kInterprets},
    {"lua luajit", "-e=C -l=", "r-", kInterprets},
    {"Rscript R", "-e=C -f=r --file=r", "r-", kInterprets},
    {"tclsh expect", "-c=C -f=r", "r-", kInterprets},
    {"osascript", "-e=C -l=", "r-", kInterprets},
    {"gnuplot julia elixir scala groovy jshell pwsh powershell ghci racket guile swipl octave", "-e=C -E=C --eval=C -c=C -Command=C", "r-", kInterprets},
};

// clang-format on

}  // namespace belay

#endif  // BELAY_ENGINE_SHELL_PROGRAM_TABLE_H_
