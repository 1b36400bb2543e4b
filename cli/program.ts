/** What the `kubeling` command understands: its verbs, their flags and what their help says. Each verb's file is loaded only when it is called. */
import { Command, Option } from 'commander';
import { VERSION } from '../cluster/version.ts';
import type { PartName } from '../cluster/parts/config.ts';
import { APISERVER_FLAGS } from '../cluster/parts/apiserver-flags.ts';
import { NODE_FLAGS } from '../cluster/node-flags.ts';
import { becomeSmall } from './become-small.ts';
import { csiRoles } from './csi-roles.ts';
import type { CommonFlags } from './flags.ts';
import type { AgentVerbFlags } from './verbs/agent.ts';
import type { CriFlags } from './verbs/cri.ts';
import type { CsiFlags } from './verbs/csi.ts';

/** A line of examples: the command without `kubeling`, and what it is for. */
type Example = readonly [command: string, what: string];

export function createProgram(): Command {
	const program = new Command('kubeling')
		.description('A Kubernetes cluster on this host with one command.')
		.version(VERSION, '-V, --version', 'print the version')
		.showHelpAfterError('(add --help for what there is)');
	examples(program, [
		['up', 'start a cluster here and follow its progress; Ctrl-C stops it, containers go on'],
		['up --detach', 'the same in the background; returns once it is usable'],
		['up --name ci --port 0', 'a second cluster beside the first, on any free port'],
		['status', 'what runs, where, and how it feels'],
		['down --delete', 'stop everything and remove every trace'],
		['doctor', 'what this host has and lacks, with the fix'],
	]);
	up(program);
	others(program);
	for (const [part, what] of PARTS) onePart(program, part, what);
	agent(program);
	cri(program);
	csi(program);
	return program;
}

/** The verb `name` with the flags that say which cluster is meant. */
function clusterVerb(program: Command, name: string, what: string, ...shown: readonly Example[]): Command {
	const command = program
		.command(name)
		.description(what)
		.option('--name <name>', 'the cluster; several live side by side (default: kubeling)')
		.option('--data-dir <folder>', 'where everything durable is kept (default: /var/lib/kubeling/NAME, or in your home without root)');
	return examples(command, shown);
}

function up(program: Command): void {
	const command = clusterVerb(
		program,
		'up',
		'Start a cluster on this host, or resume the one that was here.',
		['up', 'in the foreground; Ctrl-C stops it, containers go on'],
		['up --detach', 'in the background; "kubeling logs -f" follows it'],
		['up --name ci --port 0 --no-kubeconfig', 'one more, on any free port, your kubeconfig left alone'],
		['up --isolate', 'every part a process of its own'],
		['up --etcd-servers http://127.0.0.1:2379', 'objects in an etcd of yours'],
	)
		.option('--detach', 'run in the background; returns when the cluster is usable')
		.option('--port <port>', 'of the API server (default: 6443, or the next free one; 0 for any)')
		.option('--bind-address <ip>', 'address the API server listens on (default: 0.0.0.0)')
		.option('--isolate', 'run every part as a process of its own')
		.option('--docker-host <url>', 'Docker Engine to use (default: DOCKER_HOST or the usual sockets)')
		.option('--node-name <name>', "the node's name (default: this host's)")
		.option('--etcd-servers <urls>', 'keep the objects in this etcd, comma-separated endpoints (default: a database in the data folder)')
		.option('--etcd-cafile <file>', "CA of the etcd servers' certificates")
		.option('--etcd-certfile <file>', 'client certificate for etcd')
		.option('--etcd-keyfile <file>', 'its key')
		.option('--etcd-prefix <path>', 'what all keys in etcd begin with (default: /registry)')
		.option('--encryption-provider-config <file>', "upstream's EncryptionConfiguration: what lies encrypted at rest (default: nothing)")
		.option('--scheduler-config <file>', "upstream's KubeSchedulerConfiguration (default: upstream's values)")
		.option('--kubelet-config <file>', "KubeletConfiguration v1beta1 of the node (default: upstream's values)")
		.option('--kubelet-config-dir <folder>', 'its drop-ins: every *.conf is merged over it')
		.option('--install', 'install and start Docker Engine if there is none (Debian and Ubuntu, as root)')
		.option('--no-kubeconfig', 'leave the user kubeconfig alone')
		.addOption(logLevel())
		.action(async (flags: CommonFlags) => (await import('./verbs/up.ts')).up(flags));
	apiserverFlags(command);
}

function others(program: Command): void {
	clusterVerb(
		program,
		'down',
		'Stop a cluster and its containers; data is kept.',
		['down', 'stop; "kubeling up" resumes the same cluster'],
		['down --delete --name ci', 'stop the cluster "ci" and remove every trace of it'],
	)
		.option('--delete', 'remove its data, containers, networks and kubeconfig context as well')
		.option('--docker-host <url>', 'Docker Engine it runs on')
		.action(async (flags: CommonFlags & { delete?: boolean }) => (await import('./verbs/down.ts')).down(flags));

	clusterVerb(
		program,
		'status',
		'Show whether a cluster runs, its node and its pods; the exit code is 3 when it does not run.',
		['status', 'for people'],
		['status -o json', 'for programs'],
	)
		.addOption(json())
		.action(async (flags: CommonFlags & { output?: string }) => (await import('./verbs/status.ts')).status(flags));

	clusterVerb(
		program,
		'logs',
		"Show the cluster's own log (for a pod's, use kubectl logs).",
		['logs -n 20', 'the last 20 lines'],
		['logs -f', 'go on until Ctrl-C'],
	)
		.option('-f, --follow', 'go on as it grows')
		.option('-n, --lines <count>', 'how many of the last lines', '100')
		.action(async (flags: CommonFlags & { follow?: boolean; lines: string }) => (await import('./verbs/logs.ts')).logs(flags));

	clusterVerb(
		program,
		'kubeconfig',
		"Print the cluster's admin kubeconfig.",
		['kubeconfig > ci.yaml', 'into a file, for KUBECONFIG or --kubeconfig'],
		['kubeconfig --merge', 'into your own, as its current context'],
	)
		.option('--merge', 'merge it into your kubeconfig and make it current instead')
		.action(async (flags: CommonFlags & { merge?: boolean }) => (await import('./verbs/kubeconfig.ts')).kubeconfig(flags));

	backups(program);
	examples(program.command('doctor').description('Tell what this host has and lacks, with the fix.'), [
		['doctor', 'exit code 1 when something needed is missing'],
		['doctor -o json', 'for programs'],
	])
		.option('--docker-host <url>', 'Docker Engine to ask')
		.addOption(json())
		.action(async (flags: { dockerHost?: string; output?: string }) => (await import('./verbs/doctor.ts')).doctor(flags));

	program
		.command('version')
		.description('Print the version, the Kubernetes API it serves and the Node.js it runs on.')
		.action(async () => (await import('./verbs/version.ts')).version());
}

function backups(program: Command): void {
	clusterVerb(program, 'backup <file>', 'Copy all objects of a cluster into one file, while it runs or not.', [
		'backup monday.db',
		'consistent, checked, and refused where the file exists',
	]).action(async (file: string, flags: CommonFlags) => (await import('./verbs/backup.ts')).backup(file, flags));
	clusterVerb(program, 'restore <file>', 'Put a backup in the place of the objects of a stopped cluster.', [
		'restore monday.db',
		'after "kubeling down"; what was there is kept beside it',
	]).action(async (file: string, flags: CommonFlags) => (await import('./verbs/restore.ts')).restore(file, flags));
	clusterVerb(
		program,
		'check [file]',
		"Read all of a cluster's database, or of a backup, and tell whether it is whole.",
		['check', "the cluster's own database, while it runs or not"],
		['check monday.db', 'a backup'],
	).action(async (file: string | undefined, flags: CommonFlags) => (await import('./verbs/check.ts')).check(file, flags));
}

const PARTS: readonly (readonly [PartName, string])[] = [
	['apiserver', 'Run the API server alone.'],
	['scheduler', 'Run the scheduler alone.'],
	['controller-manager', 'Run the controllers alone.'],
	['storage', 'Run the local storage driver with its sidecar roles alone.'],
	['metrics', 'Run the provider of metrics.k8s.io (kubectl top) alone.'],
];

function onePart(program: Command, part: PartName, what: string): void {
	const command = program.command(part).description(what);
	if (part === 'apiserver') apiserverFlags(command);
	examples(command, [
		[`${part} --config ${part}.json`, 'until Ctrl-C or SIGTERM; one JSON line a log entry'],
		[`${part} --config ${part}.yaml --log-level debug`, 'the same, telling more'],
	])
		.requiredOption('--config <file>', 'its configuration, as JSON or YAML (docs/parts.md has an example of each)')
		.addOption(logLevel())
		.action(async (flags: { config: string; logLevel: string }) => {
			becomeSmall(NODE_FLAGS);
			await (await import('./verbs/part.ts')).part({ part, ...flags });
		});
}

/** The kubelet of any control plane: what a KubeletConfiguration cannot say are flags, under upstream's names. */
function agent(program: Command): void {
	examples(program.command('agent').description('Run the agent (the kubelet) alone, as a node of any cluster.'), [
		['agent --kubeconfig /etc/kubernetes/kubelet.conf', 'until Ctrl-C or SIGTERM; one JSON line a log entry'],
		['agent --kubeconfig k.conf --bootstrap-kubeconfig b.conf', 'join by a bootstrap token; k.conf is written'],
		['agent --standalone --kubelet-config config.yaml', 'static pods only'],
		['agent --config agent.json', 'from a file (docs/parts.md)'],
	])
		.option('--config <file>', 'its configuration, as JSON or YAML, instead of flags')
		.option('--kubeconfig <file>', 'how to reach the API server, and who the node is')
		.option('--bootstrap-kubeconfig <file>', 'used to get that kubeconfig where it is missing')
		.option('--api-servers <urls>', 'further API servers of the cluster, comma-separated; asked when the first cannot be reached')
		.option('--standalone', 'no API server')
		.option('--kubelet-config <file>', "KubeletConfiguration v1beta1 (default: upstream's values)")
		.option('--kubelet-config-dir <folder>', 'its drop-ins: every *.conf is merged over it')
		.option('--container-runtime-endpoint <socket>', 'CRI (default: unix:///run/containerd/containerd.sock)')
		.option('--root-dir <folder>', 'state and volumes of pods (default: /var/lib/kubelet)')
		.option('--cert-dir <folder>', 'certificates it asks for or makes (default: pki in the root folder)')
		.option('--hostname-override <name>', "the node's name (default: this host's)")
		.option('--node-ip <addresses>', 'comma-separated (default: of the default route)')
		.option('--node-external-ip <addresses>', 'where others reach the node, such as the address of a NAT')
		.option('--node-labels <labels>', 'a=b,c=d, of the Node')
		.option('--image-credential-provider-config <path>', 'CredentialProviderConfig: plug-ins that know credentials of images')
		.option('--image-credential-provider-bin-dir <folder>', 'where these plug-ins are')
		.addOption(logLevel())
		.action(async (flags: AgentVerbFlags) => {
			becomeSmall(NODE_FLAGS);
			await (await import('./verbs/agent.ts')).agent(flags);
		});
}

/** The shim is of use without the rest: it has flags, and defaults for all of them. */
function cri(program: Command): void {
	examples(program.command('cri').description('Run the CRI shim over Docker Engine alone, for any kubelet.'), [
		['cri', 'at unix:///run/kubeling-cri/cri.sock, until Ctrl-C or SIGTERM; SIGHUP reads the file again'],
		['cri --listen /run/my.sock --pod-cidr 10.1.0.0/24', "with a network of one's own"],
		['cri --config cri.yaml', 'from a file (docs/parts.md); flags come before it'],
	])
		.option('--config <file>', 'configuration as JSON or YAML')
		.option('--listen <socket>', 'unix socket to serve CRI on (default: /run/kubeling-cri/cri.sock)')
		.option('--docker-host <url>', 'Docker Engine to use (default: DOCKER_HOST or /var/run/docker.sock)')
		.option('--data-dir <folder>', 'checkpoints and files of pods (default: /var/lib/kubeling-cri)')
		.option('--name <name>', 'tells several shims on one engine apart (default: cri)')
		.option('--pod-cidr <networks>', 'network of the pods, or IPv4,IPv6 (default: a free one, or what the kubelet says)')
		.option('--dual-stack', 'an IPv6 network beside the one that is chosen')
		.option('--network <kind>', 'auto, bridge, cni or engine (default: auto: CNI where it is configured)')
		.option('--cni-conf-dir <folder>', 'default: /etc/cni/net.d')
		.option('--cni-bin-dir <folders>', 'comma-separated (default: /opt/cni/bin,/usr/lib/cni,/usr/libexec/cni)')
		.option('--cgroup-parent <group>', 'of sandboxes that name none')
		.option('--streaming-address <host:port>', 'exec, attach and port-forward (default: 127.0.0.1, any port)')
		.option('--streaming-cert-file <file>', 'serve them over TLS')
		.option('--streaming-key-file <file>', 'its key')
		.option('--metrics-address <host:port>', '/healthz and /metrics (default: 127.0.0.1:10273 without a file)')
		.addOption(logLevel())
		.action(async (flags: CriFlags) => (await import('./verbs/cri.ts')).cri(flags));
}

function csi(program: Command): void {
	const command = examples(program.command('csi').description('Run the CSI storage driver alone, for any kubelet and any sidecars.'), [
		['csi', 'at unix:///run/kubeling-csi/csi.sock, volumes in /var/lib/kubeling-csi'],
		['csi --registration-dir /var/lib/kubelet/plugins_registry', 'known to the kubelet of this host'],
		['csi --role controller --listen /run/my.sock', 'the Controller service only, beside a node of its own'],
	])
		.option('--config <file>', 'configuration as JSON or YAML (docs/parts.md)')
		.addOption(new Option('--role <role>', 'which services (default: all)').choices(['all', 'controller', 'node']))
		.option('--listen <socket>', 'unix socket to serve CSI on (default: /run/kubeling-csi/csi.sock)')
		.option('--data-dir <folder>', 'the pool: volumes and snapshots (default: /var/lib/kubeling-csi)')
		.option('--driver-name <name>', 'default: local.csi.kubeling.dev')
		.option('--node-id <id>', "default: this host's name")
		.option('--max-volumes <count>', 'on one node (default: as many as there are)')
		.option('--target-roots <folders>', 'comma-separated; staging and target paths lie below one of these (default: anywhere)')
		.option('--backends <kinds>', 'of loop, btrfs, directory those to use, the default first (default: all that this host has)')
		.option('--registration-dir <folder>', 'plugins_registry of a kubelet (default: nobody is told)')
		.option('--csi113', 'offer what CSI 1.13 added')
		.addOption(logLevel())
		.action(async (flags: CsiFlags) => (await import('./verbs/csi.ts')).csi(flags));
	csiRoles(command);
}

/** Those of the API server are many: they are told in docs/parts.md, not in the help. */
function apiserverFlags(command: Command): Command {
	for (const [name, type, what] of APISERVER_FLAGS) {
		const option = new Option(type === 'bool' ? `--${name} [true|false]` : `--${name} <${type}>`, what).hideHelp();
		// Given again, lists grow, as those of upstream's flags do; of the others the last one counts.
		if (type === 'list' || type === 'files')
			option.argParser((more: string, list?: string) => (list === undefined ? more : `${list},${more}`));
		command.addOption(option);
	}
	return command.addHelpText(
		'after',
		"\nFlags of the API server under upstream's names, such as --audit-policy-file, are listed in docs/parts.md.",
	);
}

function json(): Option {
	return new Option('-o, --output <format>', 'for programs').choices(['json']);
}

function logLevel(): Option {
	return new Option('--log-level <level>', 'how much goes to the log').choices(['debug', 'info', 'warn', 'error']).default('info');
}

function examples(command: Command, shown: readonly Example[]): Command {
	const width = Math.max(...shown.map(([text]) => text.length));
	const lines = shown.map(([text, what]) => `  kubeling ${text.padEnd(width)}  ${what}`);
	return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
