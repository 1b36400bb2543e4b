/** Pods connected by CNI plug-ins: the network is the first configuration of a watched folder, as it is at the moment when a pod starts. */
import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { CniAddress } from '../../state/records.ts';
import type { Helper } from '../helper.ts';
import type { CniPodNetwork } from '../networks.ts';
import type { KnownPod, MadePod, Namespace } from '../pod-network.ts';
import { type CachedAttachment, CniCache } from './cache.ts';
import { capabilityArgs, cniArgs } from './capability-args.ts';
import { ConfDir, type Found } from './conf-dir.ts';
import { Exclusive } from './exclusive.ts';
import { type CniAttachment, type CniExec, cniExec } from './exec.ts';
import * as cni from './operations.ts';
import { type CniResult, podIps } from './result.ts';
import { chooseVersion, CNI_VERSIONS } from './version.ts';

export interface CniOptions {
	readonly confDir: string;
	readonly binDirs: readonly string[];
	/** Where attachments are remembered. */
	readonly cacheDir: string;
	readonly pluginTimeoutMs?: number | undefined;
}

interface Deps {
	readonly helper: Helper;
	readonly clock: Clock;
	readonly log: Log;
}

const POD_INTERFACE = 'eth0';
/** Where `ip netns` looks too. */
const PIN_DIR = '/run/netns';
/** How long what STATUS said counts: kubelets ask for the runtime's status every five seconds. */
const STATUS_AGE_MS = 4000;

type Chosen = { readonly network: cni.CniNetwork } | { readonly problem: string };

export class CniNetworks implements CniPodNetwork {
	readonly #deps: Deps;
	readonly #exec: CniExec;
	readonly #cache: CniCache;
	readonly #conf: ConfDir;
	readonly #options: CniOptions;
	readonly #operations = new Exclusive();
	/** Pods that are being disconnected: nobody checks them any more. */
	readonly #leaving = new Set<string>();
	#podSubnets: readonly string[] = [];
	/** Of the configuration found last; undefined while nobody has asked its plug-ins yet. */
	#chosen: Promise<Chosen> | undefined;
	#status: { readonly atMs: number; readonly problem: Promise<string | undefined> } | undefined;

	constructor(options: CniOptions, deps: Deps) {
		this.#options = options;
		this.#deps = deps;
		this.#exec = cniExec({ helperPath: deps.helper.path, binDirs: options.binDirs, clock: deps.clock, timeoutMs: options.pluginTimeoutMs });
		this.#cache = new CniCache(options.cacheDir, (path, error) =>
			deps.log.warn('cannot read how a pod was connected', { path, error: messageOf(error) }),
		);
		this.#conf = new ConfDir(options.confDir, deps.log, (found) => this.#changed(found));
	}

	configured(): boolean {
		return this.#conf.found.type !== 'none';
	}

	use(subnets: string): void {
		this.#podSubnets = subnets.split(',');
	}

	describe(): object {
		const { found } = this.#conf;
		return {
			confDir: this.#options.confDir,
			binDirs: this.#options.binDirs,
			...(found.type === 'none' ? {} : { file: found.file }),
			...(found.type === 'network' ? { name: found.config.name, plugins: found.config.plugins.map((p) => p.type) } : {}),
		};
	}

	async start(pods: readonly KnownPod[]): Promise<void> {
		await this.#conf.start();
		await this.#operations
			.alone(() => this.#collect(pods))
			.catch((error: unknown) => this.#deps.log.warn('cannot collect what pods left in CNI networks', { error: messageOf(error) }));
		this.#checkAll(pods).catch((error: unknown) => this.#deps.log.warn('cannot check how pods are connected', { error: messageOf(error) }));
	}

	reserve(): CniAddress {
		return { kind: 'cni', ips: [] };
	}

	async attach(pod: MadePod, { pid }: Namespace): Promise<CniAddress> {
		return this.#operations.shared(pod.id, async () => {
			const chosen = await this.#choose();
			if ('problem' in chosen) throw new AppError('FailedPrecondition', chosen.problem);
			const { network } = chosen;
			const entry: CachedAttachment = {
				network,
				containerId: pod.id,
				ifname: POD_INTERFACE,
				netns: join(PIN_DIR, `kubeling-${pod.id.slice(0, 32)}`),
				args: cniArgs(pod.config, pod.id),
				capabilityArgs: capabilityArgs(pod.config, this.#podSubnets),
				result: undefined,
			};
			// Known before anything is made: whatever happens from here on, DEL will be called with what ADD was.
			await this.#cache.save(entry);
			await mkdir(PIN_DIR, { recursive: true });
			await this.#deps.helper.request('pin', pid, entry.netns);
			await this.#deps.helper.request('loopback', pid);
			const result = await this.#add(entry);
			const ips = podIps(result, POD_INTERFACE);
			if (ips.length === 0) throw new AppError('Internal', `The plug-ins of CNI network "${network.config.name}" gave the pod no address`);
			return { kind: 'cni', ips };
		});
	}

	async detach(pod: MadePod): Promise<void> {
		this.#leaving.add(pod.id);
		try {
			await this.#operations.shared(pod.id, async () => {
				for (const entry of await this.#cache.of(pod.id)) await this.#del(entry);
			});
		} finally {
			this.#leaving.delete(pod.id);
		}
	}

	async problem(): Promise<string | undefined> {
		const { clock } = this.#deps;
		if (this.#status === undefined || clock.monotonic() - this.#status.atMs > STATUS_AGE_MS)
			this.#status = { atMs: clock.monotonic(), problem: this.#askStatus() };
		return this.#status.problem;
	}

	async stop(): Promise<void> {
		this.#conf.stop();
	}

	/** Whatever ADD came to is remembered. */
	async #add(entry: CachedAttachment): Promise<CniResult> {
		let last: CniResult | undefined;
		try {
			return await cni.add(this.#exec, entry.network, await attachmentOf(entry), entry.capabilityArgs, (result) => {
				last = result;
			});
		} finally {
			if (last !== undefined) await this.#cache.save({ ...entry, result: last });
		}
	}

	/** Disconnects all that ever was connected: the cluster is being deleted. */
	async destroy(): Promise<void> {
		for (const entry of await this.#cache.all())
			await this.#del(entry).catch(async (error: unknown) => {
				this.#deps.log.warn('cannot disconnect a pod', { container: entry.containerId, error: messageOf(error) });
				await this.#deps.helper.request('unpin', entry.netns); // nobody comes after us
			});
	}

	#changed(found: Found): void {
		this.#chosen = undefined;
		this.#status = undefined;
		if (found.type === 'none') this.#deps.log.info('no CNI configuration', { dir: this.#options.confDir });
		else if (found.type === 'broken') this.#deps.log.error('wrong CNI configuration', { file: found.file, error: found.problem });
		else
			this.#deps.log.info('CNI configuration', {
				file: found.file,
				network: found.config.name,
				plugins: found.config.plugins.map((p) => p.type),
			});
	}

	/** The network in force; its plug-ins are asked again while they cannot serve it (they may be installed later). */
	async #choose(): Promise<Chosen> {
		const { found } = this.#conf;
		if (found.type === 'none') return { problem: `No CNI configuration in "${this.#options.confDir}"` };
		if (found.type === 'broken') return { problem: found.problem };
		const asking = (this.#chosen ??= this.#agree(found.config));
		const chosen = await asking;
		if ('problem' in chosen && this.#chosen === asking) this.#chosen = undefined;
		return chosen;
	}

	async #agree(config: cni.CniNetwork['config']): Promise<Chosen> {
		try {
			const asked = config.versions.findLast((v) => CNI_VERSIONS.includes(v)) ?? (CNI_VERSIONS[0] as string);
			const types = [...new Set(config.plugins.map((p) => p.type))];
			const supported = await Promise.all(types.map(async (type) => [type, await cni.supportedVersions(this.#exec, type, asked)] as const));
			return { network: { config, version: chooseVersion(config.name, config.versions, new Map(supported)) } };
		} catch (error) {
			return { problem: messageOf(error) };
		}
	}

	async #askStatus(): Promise<string | undefined> {
		const chosen = await this.#choose();
		if ('problem' in chosen) return chosen.problem;
		return cni.status(this.#exec, chosen.network).then(
			() => undefined,
			(error: unknown) => messageOf(error),
		);
	}

	async #del(entry: CachedAttachment): Promise<void> {
		await cni.del(this.#exec, entry.network, await attachmentOf(entry), entry.capabilityArgs, entry.result);
		await this.#deps.helper.request('unpin', entry.netns);
		await this.#cache.remove(entry);
	}

	/** Disconnects what no known pod has, then lets the plug-ins of each network drop whatever else they hold. */
	async #collect(pods: readonly KnownPod[]): Promise<void> {
		await this.#cache.clean();
		const ids = new Set(pods.map((p) => p.id));
		const valid: CachedAttachment[] = [];
		const networks = new Map<string, cni.CniNetwork>();
		for (const entry of await this.#cache.all()) {
			networks.set(entry.network.config.name, entry.network);
			if (ids.has(entry.containerId)) valid.push(entry);
			else
				await this.#del(entry).catch((error: unknown) => {
					valid.push(entry); // still there: the next start tries again
					this.#deps.log.warn('cannot disconnect a pod that is gone', { container: entry.containerId, error: messageOf(error) });
				});
		}
		const chosen = await this.#choose();
		if ('network' in chosen) networks.set(chosen.network.config.name, chosen.network);
		for (const [name, network] of networks)
			await cni
				.gc(
					this.#exec,
					network,
					valid.filter((e) => e.network.config.name === name),
				)
				.catch((error: unknown) =>
					this.#deps.log.warn('cannot collect garbage in a CNI network', { network: name, error: messageOf(error) }),
				);
	}

	/** Tells of pods whose connection is not as it was made; they are left as they are. */
	async #checkAll(pods: readonly KnownPod[]): Promise<void> {
		const running = new Map(pods.flatMap((p) => (p.pid === undefined ? [] : [[p.id, p.name] as const])));
		for (const { containerId } of await this.#cache.all()) {
			const pod = running.get(containerId);
			if (pod === undefined) continue;
			await this.#operations
				.shared(containerId, async () => {
					for (const entry of await this.#cache.of(containerId))
						if (entry.result !== undefined && !this.#leaving.has(containerId))
							await cni.check(this.#exec, entry.network, await attachmentOf(entry), entry.capabilityArgs, entry.result);
				})
				.catch((error: unknown) => {
					if (!this.#leaving.has(containerId)) this.#deps.log.warn("a pod's connection is broken", { pod, error: messageOf(error) });
				});
		}
	}
}

/** With an empty namespace where that is gone: after the host was started anew, say. */
async function attachmentOf({ containerId, ifname, netns, args }: CachedAttachment): Promise<CniAttachment> {
	const type = await statfs(netns).then(
		(info) => info.type,
		() => undefined,
	);
	return { containerId, ifname, args, netns: type === NSFS_MAGIC ? netns : '' };
}

/** Of linux/magic.h: files that are namespaces. */
const NSFS_MAGIC = 0x6e736673;
