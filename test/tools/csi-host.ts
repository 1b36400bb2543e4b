/** A driver on a folder of this host, asked without a socket: for tests of what it does to the machine. Needs root and loop devices. */
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext, TestFn } from 'ava';
import { realClock, type Clock } from '../../base/clock.ts';
import { noLog, type Log } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import type { Context } from '../../csi/context.ts';
import { createContext } from '../../csi/driver.ts';
import type { CsiOptions } from '../../csi/options.ts';
import { findBackends } from '../../csi/pool/find-backends.ts';
import type { VolumeCapability } from '../../csi/proto.ts';
import { recoverController, recoverNode } from '../../csi/recover.ts';
import { controllerHandlers, nodeHandlers } from '../../csi/rpcs.ts';
import { noSteps, type Steps } from '../../csi/steps.ts';
import { loopDevices } from '../../host/loop.ts';
import { MountHelper } from '../../host/mount-helper.ts';
import { leaksBelow } from '../crash/csi/leaks.ts';
import { eventually } from './eventually.ts';
import { sharedFolder } from './shared-folder.ts';

/** ava's `test`, or where this host cannot do it one test that says why and skips the others. `alsoLacks`: what else the tests need and is not there. */
export async function liveTest(alsoLacks?: string): Promise<TestFn | TestFn['skip']> {
	const { default: test } = await import('ava'); // only there where ava runs
	const lacks =
		process.getuid?.() === 0 ? ((await findBackends(tmpdir(), realClock, ['loop'])).missing.loop ?? alsoLacks) : 'this needs root';
	if (lacks === undefined) return test;
	test(`skipped: ${lacks}`, (t) => t.pass());
	return test.skip;
}

const MIB = 1024 ** 2;
export const call = { signal: new AbortController().signal };
export const none = { secrets: {}, parameters: {}, mutableParameters: {}, volumeContext: {}, publishContext: {} };
export const files = (more: { readonly group?: string; readonly fsType?: string } = {}): VolumeCapability => ({
	accessType: { $case: 'mount', value: { fsType: more.fsType ?? '', mountFlags: [], volumeMountGroup: more.group ?? '' } },
	accessMode: { mode: 1 },
});
export const raw: VolumeCapability = { accessType: { $case: 'block', value: {} }, accessMode: { mode: 1 } };

export interface CsiHostOptions {
	readonly nodeId?: string;
	readonly clock?: Clock;
	readonly log?: Log;
	readonly steps?: Steps;
	readonly bootId?: string;
}

/** One for all, as of one driver; outside of the folders, which it would keep busy. */
let helper: Promise<MountHelper> | undefined;
function startHelper(): Promise<MountHelper> {
	const dir = mkdtempSync(join(tmpdir(), 'kubeling-mount-'));
	process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
	return MountHelper.start(dir, noLog);
}

export class CsiHost {
	readonly dir: string;
	readonly context: Context;
	readonly controller: ReturnType<typeof controllerHandlers>;
	readonly node: ReturnType<typeof nodeHandlers>;

	/** A driver on a folder; a second one on the same folder is the first after a restart. */
	static async on(dir: string, { nodeId = 'node', log = noLog, ...deps }: CsiHostOptions = {}): Promise<CsiHost> {
		const options: CsiOptions = {
			driverName: 'local.csi.kubeling.dev',
			version: 'test',
			role: 'all',
			socketPath: '',
			dataDir: join(dir, 'pool'),
			runDir: join(dir, 'run'),
			nodeId,
			maxVolumesPerNode: 0,
			targetRoots: [dir],
		};
		const mounter = await (helper ??= startHelper());
		const context = await createContext(options, { clock: realClock, log, metrics: createMetrics(), mounter, ...deps });
		await recoverController(context);
		await context.nodes.register(nodeId);
		await recoverNode(context);
		await context.erasure.run(call.signal);
		return new CsiHost(dir, context);
	}

	private constructor(dir: string, context: Context) {
		this.dir = dir;
		this.context = context;
		this.controller = controllerHandlers(context);
		this.node = nodeHandlers(context);
	}

	async create(name: string, capability: VolumeCapability, mib = 16, snapshotId?: string): Promise<string> {
		const { volume } = await this.controller.createVolume(
			{
				...none,
				name,
				capacityRange: { requiredBytes: BigInt(mib * MIB), limitBytes: 0n },
				volumeCapabilities: [capability],
				volumeContentSource: snapshotId === undefined ? undefined : { type: { $case: 'snapshot', value: { snapshotId } } },
				accessibilityRequirements: undefined,
			},
			call,
		);
		return volume?.volumeId ?? '';
	}

	async snapshot(name: string, sourceVolumeId: string): Promise<string> {
		const { snapshot } = await this.controller.createSnapshot(
			{ ...none, name, sourceVolumeId, accessibilityRequirements: undefined },
			call,
		);
		return snapshot?.snapshotId ?? '';
	}

	/** Where it is. */
	async use(volumeId: string, volumeCapability: VolumeCapability, readonly = false): Promise<string> {
		const at = { ...none, volumeId, volumeCapability, readonly, stagingTargetPath: join(this.dir, `${volumeId}-staging`) };
		const targetPath = join(this.dir, `${volumeId}-${readonly ? 'reader' : 'target'}`);
		await this.node.nodeStageVolume(at, call);
		await this.node.nodePublishVolume({ ...at, targetPath }, call);
		return targetPath;
	}

	/** A volume in a pod's own words; where it is. */
	async inline(handle: string, attributes: Readonly<Record<string, string>>, more: { readonly readonly?: boolean } = {}): Promise<string> {
		const targetPath = join(this.dir, `${handle}-target`);
		const volumeContext = { 'csi.storage.k8s.io/ephemeral': 'true', ...attributes };
		const at = { ...none, volumeId: handle, volumeContext, targetPath, stagingTargetPath: '', volumeCapability: files() };
		await this.node.nodePublishVolume({ ...at, readonly: more.readonly ?? false }, call);
		return targetPath;
	}

	async release(volumeId: string): Promise<void> {
		for (const kind of ['reader', 'target'])
			await this.node.nodeUnpublishVolume({ volumeId, targetPath: join(this.dir, `${volumeId}-${kind}`) }, call);
		await this.node.nodeUnstageVolume({ volumeId, stagingTargetPath: join(this.dir, `${volumeId}-staging`) }, call);
	}
}

/** Until nobody has what was released: others may keep it for a moment. */
export async function noDeviceOf({ dir }: Pick<CsiHost, 'dir'>): Promise<void> {
	await eventually('no device', async () => (await loopDevices()).every((d) => !d.backingFile.startsWith(`${dir}/`)));
}

/** A host of the test's own; afterwards every volume is released, and nothing of it may be left. */
export async function host(t: ExecutionContext, options: CsiHostOptions = {}): Promise<CsiHost> {
	const folder = await sharedFolder('kubeling-csi-');
	const { dir } = folder;
	const made = await CsiHost.on(dir, options);
	t.teardown(async () => {
		try {
			const last = await CsiHost.on(dir, { ...options, steps: noSteps }); // as another may have left it
			for (const { id } of last.context.volumes.all()) await last.release(id);
			for (const { name } of last.context.inline.all()) await last.release(name);
			const left = await leaksBelow({ dir, pool: join(dir, 'pool') });
			const leaks = left.filter((leak) => !leak.startsWith('folder '));
			if (leaks.length > 0) throw new Error(`left behind: ${leaks.join(', ')}`);
		} finally {
			await folder[Symbol.asyncDispose]();
		}
	});
	return made;
}

/** On the disk when it resolves. */
export async function writeSynced(path: string, data: string | Buffer): Promise<void> {
	await using file = await open(path, 'w');
	await file.writeFile(data);
	await file.sync();
}
