/** The first part of docs/cli.md. Its blocks of `sh` are run, in this order, against a sandbox. */
export const cliGuide = `\`haptic\` is one program for the controller, the agent, and everything that is done by hand. Answers for programs go to stdout, all else to
stderr. A flag counts before the environment, and that before the default: every flag can be given as a variable named by command and flag,
\`HAPTIC_RUN_WATCH_TIMEOUT\` for \`haptic run --watch-timeout\`, and some have a shorter one, which is told below. Exit codes: 0 done, 1 failed or something was found wrong, 2 the line was
wrong. \`haptic COMMAND --help\` tells what a command takes, with examples; a word that is not known is answered with the one that was meant.

What follows works in a cluster and in the [sandbox](sandbox.md) alike. The sandbox prints \`export\` lines that tell the commands where everything
is; in a cluster, say it yourself:

\`\`\`text
kubectl port-forward --namespace haptic deployment/haptic-controller 8080 9090 &
export POD_NAMESPACE=haptic CRD_NAME=haptic-config HAPTIC_DEBUG=http://127.0.0.1:8080/debug
\`\`\`

## Watch it work

Each arrow of the pipeline is a tap; without a name, \`haptic tap\` lists them. Values are lines of JSON, the current one first, and the command ends with
Ctrl-C, \`--limit\` or \`--for\`:

\`\`\`sh
haptic tap
haptic tap deployments --limit 1
haptic tap deliveries --limit 1 --select pod.key --select mode --select reasons
\`\`\`

\`--filter\` takes only what is of interest: \`haptic tap deliveries --filter mode=reload\` goes on until a pod reloads, and says why. What a tap's values are is
told in [observe.md](observe.md). The collections between objects and templates draw themselves:

\`\`\`sh
haptic graph | head -n 3
\`\`\`

## See what a change would do, before it is made

Take the configuration in effect, with libraries merged and defaults applied, change a copy of it, and compare what both make of the objects that the
cluster has now. Nothing is applied:

\`\`\`sh
haptic config view > before.yaml
sed 's/accessLog: false/accessLog: true/' before.yaml > after.yaml
haptic diff --from before.yaml --to after.yaml --objects cluster
\`\`\`

The first line is the verdict: \`noop\`, \`file_only\` (files that HAProxy need not know of), \`runtime\` (commands to the running HAProxy, no
reload) or \`reload\` with every reason; [reload-free.md](reload-free.md) tells which change costs what. Then come the files as a unified diff.

The same for what pods hold and run, each judged by its own HAProxy and agent:

\`\`\`sh
haptic diff --from pods --to after.yaml --objects cluster --no-content
haptic diff --from pods --to live --no-content
\`\`\`

\`live\` is what the controller has let out, so the second one tells whether a pod is behind, or was changed by somebody else. Users and passwords
are no part of that, since the controller does not tell them. In CI, where there is no
cluster, compare two folders of manifests, or the validation tests of a configuration:

\`\`\`sh
haptic config view sources --values after.yaml | head -n 2
haptic diff --from before.yaml --to after.yaml --no-content -o yaml
\`\`\`

Whether a configuration does what it should is another question: [validation-tests.md](validation-tests.md) answers it.

## Find out what would go wrong, before an install or an upgrade

\`haptic preflight\` takes what \`helm\` would take, renders the chart, and looks at values, the cluster, your rights, names that are taken, Secrets,
nodes and the configuration; before an upgrade it tells what will restart or reload:

\`\`\`text
haptic preflight -n haptic -f values.yaml
\`\`\`

It changes nothing. In CI, where there is no cluster, \`--offline\` leaves out what takes one. [install.md](install.md) and [upgrade.md](upgrade.md) show it at work.

## Find out what is wrong

\`haptic doctor\` looks at the API and its CRDs, permissions, the configuration and its status, pods and agents, certificates, the HAProxy binary and
the running controller, and says what to do about each finding:

\`\`\`sh
haptic doctor
\`\`\`

Where the chart is installed, the namespace is enough: \`haptic doctor -n haptic\` finds the release by its labels and takes from it which configuration, Lease,
webhook, certificates and service account are meant. It tells then, too, images that cannot be pulled and whatever else keeps a pod from running, rights that
the controller lacks, that nobody leads, that API servers do not reach or not trust the webhook, renders that are refused, and pods that are behind.
From outside of the cluster, pods are looked at through what the controller publishes and through the API server.

For a report to somebody else, collect everything in one file:

\`\`\`sh
haptic doctor --bundle haptic-doctor.zip
\`\`\`

It has the findings, the configuration, the rendered haproxy.cfg and maps, the states of pods, the newest value of each tap, metrics, and logs. No key,
no token and no value of a Secret is in it: each value of each Secret, of the program's own environment and of fields that are secret by name is
searched for in every file, also in base64 and in parts. Where the credentials may not read all Secrets, the files that could hold their values are left
out instead, and LEFT-OUT.txt in the bundle names them.

## Install or update the CRDs

An upgrade of the chart does this by itself, with a Job. Where that is switched off, or CRDs are left over from an earlier release:

\`\`\`sh
haptic apply-crds --dry-run
haptic apply-crds
\`\`\`

It waits until the API serves them, and takes no field away from anybody else. \`haptic apply-crds --print\` is for other means.

## Let the shell complete it

\`\`\`sh
haptic completion bash > haptic.bash
\`\`\`

Put the file into \`~/.local/share/bash-completion/completions/haptic\` and open a new shell. zsh takes it as \`_haptic\` in a folder of \`$fpath\`, fish as
\`~/.config/fish/completions/haptic.fish\`.
`;
