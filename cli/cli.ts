/** The `kubeling` command: one file a verb, loaded only when it is called; flags, signals and exit codes live here. */
import { Command, Option } from 'commander';
import { messageOf } from '../base/errors.ts';
import type { CommonFlags } from './flags.ts';

const program = new Command('kubeling')
	.description('A Kubernetes cluster on this host with one command.')
	.showHelpAfterError('(add --help for what there is)')
	.addHelpText(
		'after',
		`
Examples:
  kubeling up                      start a cluster here and follow its progress; Ctrl-C stops it, containers go on
  kubeling up --detach             the same in the background; returns once it is usable
  kubeling up --name ci --port 0   a second cluster beside the first, on any free port
  kubeling status                  what runs, where, and how it feels
  kubeling down --delete           stop everything and remove every trace
  kubeling doctor                  what this host has and lacks, with the fix`,
	);

/** The flags that say which cluster is meant. */
function clusterFlags(command: Command): Command {
	return command
		.option('--name <name>', 'the cluster; several live side by side (default: kubeling)')
		.option('--data-dir <folder>', 'where everything durable is kept (default: /var/lib/kubeling/NAME, or in your home without root)');
}

clusterFlags(program.command('up').description('Start a cluster on this host, or resume the one that was here.'))
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
	.option('--install', 'install and start Docker Engine if there is none (Debian and Ubuntu, as root)')
	.option('--no-kubeconfig', 'leave the user kubeconfig alone')
	.addOption(new Option('--log-level <level>', 'how much goes to the log').choices(['debug', 'info', 'warn', 'error']).default('info'))
	.action(async (flags: CommonFlags) => (await import('./verbs/up.ts')).up(flags));

clusterFlags(program.command('down').description('Stop a cluster and its containers; data is kept.'))
	.option('--delete', 'remove its data, containers, networks and kubeconfig context as well')
	.option('--docker-host <url>', 'Docker Engine it runs on')
	.action(async (flags: CommonFlags & { delete?: boolean }) => (await import('./verbs/down.ts')).down(flags));

clusterFlags(program.command('status').description('Show whether a cluster runs, its node and its pods.'))
	.option('-o, --output <format>', '"json" for programs')
	.action(async (flags: CommonFlags & { output?: string }) => (await import('./verbs/status.ts')).status(flags));

clusterFlags(program.command('logs').description("Show the cluster's own log (for a pod's, use kubectl logs)."))
	.option('-f, --follow', 'go on as it grows')
	.option('-n, --lines <count>', 'how many of the last lines', '100')
	.action(async (flags: CommonFlags & { follow?: boolean; lines: string }) => (await import('./verbs/logs.ts')).logs(flags));

clusterFlags(program.command('kubeconfig').description("Print the cluster's admin kubeconfig."))
	.option('--merge', 'merge it into your kubeconfig and make it current instead')
	.action(async (flags: CommonFlags & { merge?: boolean }) => (await import('./verbs/kubeconfig.ts')).kubeconfig(flags));

program
	.command('doctor')
	.description('Tell what this host has and lacks, with the fix.')
	.option('--docker-host <url>', 'Docker Engine to ask')
	.option('-o, --output <format>', '"json" for programs')
	.action(async (flags: { dockerHost?: string; output?: string }) => (await import('./verbs/doctor.ts')).doctor(flags));

program
	.command('version')
	.description('Print the version.')
	.action(async () => (await import('./verbs/version.ts')).version());

for (const part of ['apiserver', 'scheduler', 'controller-manager', 'agent', 'cri'] as const) {
	program
		.command(part)
		.description(partText(part))
		.requiredOption('--config <file>', 'its configuration, as JSON or YAML (docs/parts.md says what it holds)')
		.addOption(new Option('--log-level <level>', 'how much goes to the log').choices(['debug', 'info', 'warn', 'error']).default('info'))
		.action(async (flags: { config: string; logLevel: string }) => (await import('./verbs/part.ts')).part({ part, ...flags }));
}

function partText(part: string): string {
	return `Run ${part === 'cri' ? 'the CRI shim' : part === 'agent' ? 'the agent (kubelet)' : `the ${part}`} alone.`;
}

try {
	await program.parseAsync(process.argv);
} catch (error) {
	console.error(`kubeling: ${messageOf(error)}`);
	process.exitCode = 1;
}
