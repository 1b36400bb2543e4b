/** Makes the sandbox of a pod and what it needs: names, resolver, log folder, hosts file. */
import { mkdir, readFile } from 'node:fs/promises';
import type { Pod } from '../../api/gen/types.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { onGroups, podEvent, type AgentContext } from '../context.ts';
import { nodeEvent } from '../node/node-event.ts';
import { hostsPath } from '../container/mounts.ts';
import { writeHosts } from '../container/start.ts';
import { dnsOf } from '../network-identity/dns.ts';
import { hostNamesOf } from '../network-identity/hostname.ts';
import { hostNetworkHostsFile, hostsFile } from '../network-identity/hosts.ts';
import type { SandboxOptions } from '../runtime/runtime.ts';
import type { IdRange } from '../users/id-range.ts';
import { podLogFolder } from './folders.ts';
import { makePodFolder } from './make-folder.ts';
import type { PodMemory } from './memory.ts';
import { uidOf } from './uid.ts';

export function sandboxOptions(
	pod: Pod,
	attempt: number,
	runtimeHandler: string,
	users: IdRange | undefined,
	memory: PodMemory,
	context: AgentContext,
): SandboxOptions {
	const { options, hostDns } = context;
	const dns = dnsOf(pod, { clusterDns: options.clusterDns, clusterDomain: options.clusterDomain, host: hostDns });
	for (const { reason, message, ofNode } of dns.warnings) {
		if (memory.told.has(message)) continue;
		memory.told.add(message);
		if (ofNode !== undefined) nodeEvent(context, 'Warning', reason, ofNode);
		podEvent(context, pod, 'Warning', reason, message);
	}
	return {
		attempt,
		logDirectory: podLogFolder(options.podLogsDir, pod),
		hostname: pod.spec?.hostNetwork === true ? '' : hostnameFor(pod, context),
		dns,
		cgroupParent: context.groups.parentOf(pod),
		seenAt: memory.firstSeenAt,
		runtimeHandler,
		users,
	};
}

function hostnameFor(pod: Pod, context: AgentContext): string {
	try {
		return hostNamesOf(pod, context.options.clusterDomain, context.hostname).hostname;
	} catch (error) {
		podEvent(context, pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${messageOf(error)}`);
		throw error;
	}
}

export async function createSandbox(pod: Pod, sandbox: SandboxOptions, context: AgentContext, signal: AbortSignal): Promise<string> {
	const { clock, figures } = context;
	const fault = pod.spec?.hostNetwork === true ? '' : context.networkFault();
	if (fault !== '') {
		podEvent(context, pod, 'Warning', 'NetworkNotReady', `network is not ready: ${fault}`);
		throw new AppError('Unavailable', `network is not ready: ${fault}`);
	}
	try {
		await Promise.all([mkdir(sandbox.logDirectory, { recursive: true, mode: 0o755 }), makeGroup(pod, context)]);
		const from = clock.monotonic();
		const id = await context.runtime.runSandbox(pod, sandbox, signal);
		figures.sandboxRun.observe({ runtime_handler: sandbox.runtimeHandler }, (clock.monotonic() - from) / 1000);
		return id;
	} catch (error) {
		if (!signal.aborted) figures.sandboxErrors.inc({ runtime_handler: sandbox.runtimeHandler });
		if (!signal.aborted) podEvent(context, pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${messageOf(error)}`);
		throw error;
	}
}

async function makeGroup(pod: Pod, context: AgentContext): Promise<void> {
	await onGroups(context, 'create', (groups) => groups.ensure(pod)).catch((cause: unknown) => {
		const message = `unable to ensure pod container exists: ${messageOf(cause)}`;
		podEvent(context, pod, 'Warning', 'FailedCreatePodContainer', message);
		throw new AppError('Internal', message, { cause });
	});
}

/** The pod's folder and hosts file, which must exist before a container mounts it; its addresses may come later. */
export async function prepareHosts(pod: Pod, ips: readonly string[], context: AgentContext): Promise<void> {
	const { options, hostname } = context;
	await makePodFolder(options.rootDir, uidOf(pod)).catch((cause: unknown) => {
		const message = `error making pod data directories: ${messageOf(cause)}`;
		podEvent(context, pod, 'Warning', 'Failed', message);
		throw new AppError('Internal', message, { cause });
	});
	const aliases = pod.spec?.hostAliases ?? [];
	const path = hostsPath(pod, options.rootDir);
	if (pod.spec?.hostNetwork === true)
		return writeHosts(path, hostNetworkHostsFile(await readFile('/etc/hosts', 'utf8').catch(() => ''), aliases));
	const names = hostNamesOf(pod, options.clusterDomain, hostname);
	await writeHosts(path, hostsFile(ips, names.short, names.fqdn, aliases));
}
