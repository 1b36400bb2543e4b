/** The specs that may be skipped, and what of the kernel or the engine they wait for. A skip for anything else is a failure. */
import { readFile } from 'node:fs/promises';
import { run } from '../../tools/command.ts';
import type { Spec } from './report.ts';

/** What this machine and its engine can do. */
export interface Has {
	/** In the kernel, and with what critest loads its profiles by. */
	readonly appArmor: boolean;
	/** Engine 25 (API 1.44). */
	readonly recursiveReadOnly: boolean;
}

interface Excuse {
	readonly specs: RegExp;
	readonly reason: string;
	holds(has: Has): boolean;
}

const EXCUSES: readonly Excuse[] = [
	{
		specs: /^AppArmor /,
		reason: 'no AppArmor in the kernel (or no sudo and apparmor_parser to load profiles)',
		holds: (has) => !has.appArmor,
	},
	{
		specs: /recursive readonly mount/,
		reason: 'the engine has no recursive read-only mounts before 25',
		holds: (has) => !has.recursiveReadOnly,
	},
	{ specs: /UserNamespaces/, reason: 'no Docker Engine has user namespaces by container', holds: () => true },
];

/** The reason why this spec may be skipped here; undefined where it may not. Pure. */
export function excuse(spec: Spec, has: Has): string | undefined {
	return EXCUSES.find((e) => e.specs.test(spec.name) && e.holds(has))?.reason;
}

export async function findHas(engineApi: string): Promise<Has> {
	return { appArmor: (await kernelHasAppArmor()) && (await canLoadProfiles()), recursiveReadOnly: Number(engineApi.split('.')[1]) >= 44 };
}

/** What critest is told where its AppArmor specs could only fail: it skips them by itself on a kernel without AppArmor. */
export async function skipFlags(): Promise<readonly string[]> {
	return (await kernelHasAppArmor()) && !(await canLoadProfiles()) ? ['-ginkgo.skip=AppArmor'] : [];
}

async function kernelHasAppArmor(): Promise<boolean> {
	const enabled = await readFile('/sys/module/apparmor/parameters/enabled', 'utf8').catch(() => 'N');
	return enabled.trim() === 'Y';
}

async function canLoadProfiles(): Promise<boolean> {
	return (await run('sh', ['-c', 'command -v sudo && command -v apparmor_parser'])).code === 0;
}
