/** What the engine and this host can do, found once at start: everything that a request may ask for and not get. */
import { readFile } from 'node:fs/promises';
import { capabilitiesOf, kernelCapabilities } from '../host/capabilities.ts';
import { oomScoreAdj } from '../host/process.ts';
import type { Engine } from './engine/engine.ts';

export interface HostAbilities {
	/** Capabilities (CAP_ left out) that the engine can give to a container. */
	readonly capabilities: readonly string[];
	/** Capabilities that the kernel knows and the engine lacks; empty on most hosts. */
	readonly missingCapabilities: readonly string[];
	/** -1000, or what the engine runs with where it may not lower scores. */
	readonly lowestOomScoreAdj: number;
	readonly cgroupDriver: 'cgroupfs' | 'systemd';
	readonly cgroupVersion: 1 | 2;
	readonly appArmor: boolean;
	readonly selinux: boolean;
	/** Whether the runtime is told what else is to be known of a container (API 1.43). */
	readonly annotations: boolean;
	/** Whether read-only can cover mounts below (API 1.44). */
	readonly recursiveReadOnly: boolean;
	/** Whether images can be mounted (API 1.48). */
	readonly imageMounts: boolean;
	/** Where the engine itself finds CDI devices (25 and later, where it is on); false where it knows none. */
	readonly cdi: false | readonly string[];
	/** Whether the engine's experimental features are on (checkpoints). */
	readonly experimental: boolean;
	readonly runtimes: readonly string[];
	readonly rootless: boolean;
	readonly engineRoot: string;
	readonly storageDriver: string;
}

/** AUDIT_READ: engines before 23 (API 1.42) refuse the names of later capabilities. */
const NEWEST_CAPABILITY_BEFORE_23 = 37;

interface Info {
	readonly CgroupDriver?: string;
	readonly CgroupVersion?: string;
	readonly SecurityOptions?: readonly string[] | null;
	readonly Runtimes?: Readonly<Record<string, unknown>>;
	readonly DockerRootDir?: string;
	readonly Driver?: string;
	readonly ExperimentalBuild?: boolean;
	readonly CDISpecDirs?: readonly string[] | null;
}

export async function findAbilities(engine: Engine, signal?: AbortSignal): Promise<HostAbilities> {
	const info = await engine.call<Info>({ method: 'GET', path: '/info', signal });
	const pid = await enginePid();
	const [held, known, score] = await Promise.all([capabilitiesOf(pid ?? 'self'), kernelCapabilities(), oomScoreAdj(pid ?? 'self')]);
	const security = (info.SecurityOptions ?? []).map((o) => /name=([^,]+)/.exec(o)?.[1] ?? o);
	const [major = 0, minor = 0] = engine.apiVersion.split('.').map(Number);
	return {
		capabilities: known.filter((c, number) => held.includes(c) && (minor >= 42 || number <= NEWEST_CAPABILITY_BEFORE_23)),
		missingCapabilities: known.filter((c) => !held.includes(c)),
		lowestOomScoreAdj: held.includes('SYS_RESOURCE') ? -1000 : (score ?? 0),
		cgroupDriver: info.CgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs',
		cgroupVersion: info.CgroupVersion === '2' ? 2 : 1,
		appArmor: security.includes('apparmor'),
		selinux: security.includes('selinux'),
		annotations: major > 1 || minor >= 43,
		recursiveReadOnly: major > 1 || minor >= 44,
		imageMounts: major > 1 || minor >= 48,
		cdi: (info.CDISpecDirs ?? []).length > 0 && (info.CDISpecDirs ?? []),
		experimental: info.ExperimentalBuild ?? false,
		runtimes: Object.keys(info.Runtimes ?? {}),
		rootless: security.includes('rootless'),
		engineRoot: info.DockerRootDir ?? '/var/lib/docker',
		storageDriver: info.Driver ?? '',
	};
}

/** The engine's process: it hands its capabilities and score on. Undefined where it cannot be found (another PID namespace). */
async function enginePid(): Promise<number | undefined> {
	for (const path of ['/run/docker.pid', '/var/run/docker.pid']) {
		const pid = Number((await readFile(path, 'utf8').catch(() => '')).trim());
		if (!(pid > 0)) continue;
		const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
		if (name.trim() === 'dockerd') return pid;
	}
	return undefined;
}
