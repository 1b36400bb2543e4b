/** CDI edits in an engine's create body. Pure. */
import { AppError } from '../../base/errors.ts';
import type { CreateBody, EngineMount } from '../engine/types.ts';
import type { CdiEdits, CdiMount } from './spec.ts';

const PROPAGATIONS = ['rprivate', 'rslave', 'rshared'] as const;

/** What the engine's API has no word for (hooks, cache allocation) is refused: a device without its hooks would be half a device. */
export function applyCdi(body: CreateBody, edits: readonly CdiEdits[]): CreateBody {
	const all = <T>(of: (e: CdiEdits) => readonly T[] | undefined): readonly T[] => edits.flatMap((e) => of(e) ?? []);
	if (all((e) => e.hooks).length > 0) throw refused('hooks');
	if (edits.some((e) => e.intelRdt !== undefined)) throw refused('intelRdt');
	const { HostConfig } = body;
	const devices = all((e) => e.deviceNodes).map((d) => ({
		PathOnHost: d.hostPath ?? d.path,
		PathInContainer: d.path,
		CgroupPermissions: d.permissions === undefined || d.permissions === '' ? 'rwm' : d.permissions,
	}));
	const groups = all((e) => e.additionalGids).filter((g) => g > 0);
	const env = all((e) => e.env);
	const theirs = new Set(env.map(nameOf));
	return {
		...body,
		Env: [...(body.Env ?? []).filter((e) => !theirs.has(nameOf(e))), ...env],
		HostConfig: {
			...HostConfig,
			Devices: [...(HostConfig.Devices ?? []), ...devices],
			Mounts: [...(HostConfig.Mounts ?? []), ...all((e) => e.mounts).map(engineMount)],
			GroupAdd: [...new Set([...(HostConfig.GroupAdd ?? []), ...groups.map(String)])],
		},
	};
}

function nameOf(variable: string): string {
	return variable.split('=', 1)[0] ?? '';
}

function engineMount({ hostPath, containerPath, type = '', options = [] }: CdiMount): EngineMount {
	if (type === 'tmpfs') return { Type: 'tmpfs', Target: containerPath };
	if (type !== '' && type !== 'bind' && type !== 'none') throw refused(`mounts of type "${type}"`);
	const propagation = PROPAGATIONS.find((p) => options.includes(p));
	return {
		Type: 'bind',
		Source: hostPath,
		Target: containerPath,
		...(options.includes('ro') ? { ReadOnly: true } : {}),
		...(propagation === undefined ? {} : { BindOptions: { Propagation: propagation } }),
	};
}

function refused(what: string): AppError {
	return new AppError(
		'FailedPrecondition',
		`The CDI device has ${what}, which only an engine with CDI of its own (25 or later, feature "cdi") can do`,
	);
}
