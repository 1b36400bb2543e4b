/** Starting the daemon: a process of its own session whose progress comes over IPC until it is ready. */
import { spawn } from 'node:child_process';
import { openSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../base/errors.ts';
import type { ClusterEvent } from '../cluster/events.ts';
import { CLUSTER_FLAGS, smallProcess } from '../cluster/node-flags.ts';
import { apiserverFlagsOf, type CommonFlags } from './flags.ts';

/** Resolves once the daemon is ready; rejects with its own message when it fails. */
export async function launchDetached(flags: CommonFlags, dataDir: string, onEvent: (event: ClusterEvent) => Promise<void>): Promise<void> {
	mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
	const output = openSync(join(dataDir, 'logs', 'daemon.out'), 'w', 0o600);
	const child = spawn(process.execPath, [...CLUSTER_FLAGS, process.argv[1] ?? '', ...daemonArguments(flags, dataDir)], {
		detached: true,
		stdio: ['ignore', output, output, 'ipc'],
		env: smallProcess(process.env),
	});
	await new Promise<void>((resolve, reject) => {
		let work = Promise.resolve();
		child.on('message', (message) => {
			const event = message as ClusterEvent;
			if (event.type === 'failed') return reject(new AppError('Unavailable', event.message));
			work = work.then(() => onEvent(event));
			if (event.type === 'ready') work.then(resolve, reject);
		});
		child.once('error', reject);
		child.once('exit', (code) =>
			reject(new AppError('Unavailable', `The cluster's process ended with exit code ${code}; see ${join(dataDir, 'logs')}`)),
		);
	});
	child.unref();
	if (child.connected) child.disconnect();
}

/** The daemon's arguments: those given, with the data folder always among them. Pure. */
export function daemonArguments(flags: CommonFlags, dataDir: string): readonly string[] {
	const args = ['up', '--data-dir', dataDir];
	if (flags.name !== undefined) args.push('--name', flags.name);
	if (flags.port !== undefined) args.push('--port', flags.port);
	if (flags.bindAddress !== undefined) args.push('--bind-address', flags.bindAddress);
	if (flags.dockerHost !== undefined) args.push('--docker-host', flags.dockerHost);
	if (flags.nodeName !== undefined) args.push('--node-name', flags.nodeName);
	if (flags.etcdServers !== undefined) args.push('--etcd-servers', flags.etcdServers);
	if (flags.etcdCafile !== undefined) args.push('--etcd-cafile', flags.etcdCafile);
	if (flags.etcdCertfile !== undefined) args.push('--etcd-certfile', flags.etcdCertfile);
	if (flags.etcdKeyfile !== undefined) args.push('--etcd-keyfile', flags.etcdKeyfile);
	if (flags.etcdPrefix !== undefined) args.push('--etcd-prefix', flags.etcdPrefix);
	if (flags.schedulerConfig !== undefined) args.push('--scheduler-config', flags.schedulerConfig);
	if (flags.kubeletConfig !== undefined) args.push('--kubelet-config', flags.kubeletConfig);
	if (flags.kubeletConfigDir !== undefined) args.push('--kubelet-config-dir', flags.kubeletConfigDir);
	if (flags.encryptionProviderConfig !== undefined) args.push('--encryption-provider-config', flags.encryptionProviderConfig);
	for (const [name, value] of Object.entries(apiserverFlagsOf(flags))) args.push(`--${name}=${String(value)}`);
	if (flags.isolate === true) args.push('--isolate');
	if (flags.install === true) args.push('--install');
	if (flags.logLevel !== undefined) args.push('--log-level', flags.logLevel);
	return args;
}
