/** Files of ConfigMaps and Secrets in volumes: the same behaviours, whatever the files come from and whether they are projected. */
import { CoreV1Api, type V1KeyToPath, type V1Volume } from '@kubernetes/client-node';
import type { World } from '../../suite.ts';
import { output } from '../pod.ts';

export interface From {
	readonly kind: 'ConfigMap' | 'Secret';
	readonly projected?: boolean;
}

export interface Shown {
	readonly items?: V1KeyToPath[];
	readonly defaultMode?: number;
	readonly optional?: boolean;
}

export const DATA = { 'data-1': 'value-1', 'data-2': 'value-2', 'data-3': 'value-3' };

export async function source({ api, namespace }: World, { kind }: From, name: string, data: Record<string, string> = DATA): Promise<void> {
	const body = { metadata: { name } };
	await (kind === 'ConfigMap'
		? api(CoreV1Api).createNamespacedConfigMap({ namespace, body: { ...body, data } })
		: api(CoreV1Api).createNamespacedSecret({ namespace, body: { ...body, stringData: data } }));
}

export function volumeOf({ kind, projected = false }: From, name: string, of: string, { defaultMode, ...shown }: Shown = {}): V1Volume {
	const mode = defaultMode === undefined ? {} : { defaultMode };
	if (projected)
		return {
			name,
			projected: { ...mode, sources: [kind === 'ConfigMap' ? { configMap: { name: of, ...shown } } : { secret: { name: of, ...shown } }] },
		};
	return kind === 'ConfigMap'
		? { name, configMap: { name: of, ...mode, ...shown } }
		: { name, secret: { secretName: of, ...mode, ...shown } };
}

export interface Case {
	readonly shown?: Shown;
	/** Below the volume; data-1 unless told. */
	readonly path?: string;
	/** 644 unless told. */
	readonly mode?: string;
	readonly user?: number;
	readonly fsGroup?: number;
	/** Mounts of the source in one pod. */
	readonly times?: number;
}

/** The file is there for the container's user, with its content and its mode. */
export async function isConsumable(
	world: World,
	from: From,
	{ shown = {}, path = 'data-1', mode = '644', user, fsGroup, times = 1 }: Case,
): Promise<void> {
	await source(world, from, 'source');
	const names = Array.from({ length: times }, (_, i) => `v${i}`);
	const files = names.map((name) => `/etc/${name}/${path}`).join(' ');
	const text = await output(world, {
		script: `stat -Lc '%a %g' ${files}; for f in ${files}; do cat $f; echo; done`,
		container: { volumeMounts: names.map((name) => ({ name, mountPath: `/etc/${name}`, readOnly: true })) },
		spec: {
			volumes: names.map((name) => volumeOf(from, name, 'source', shown)),
			securityContext: {
				...(user === undefined ? {} : { runAsUser: user }),
				...(fsGroup === undefined ? {} : { fsGroup }),
			},
		},
	});
	const content = path.endsWith('data-2') ? 'value-2' : 'value-1';
	world.t.is(text, [...names.map(() => `${mode} ${fsGroup ?? 0}`), ...names.map(() => content), ''].join('\n'));
}

/** What the names say of a mapping, of modes and of users. */
export const MAPPED = { items: [{ key: 'data-2', path: 'path/to/data-2' }] };
export const MAPPED_MODE = { items: [{ key: 'data-2', path: 'path/to/data-2', mode: 0o400 }] };
export const CASES = {
	plain: {},
	nonRoot: { user: 1000 },
	defaultMode: { shown: { defaultMode: 0o400 }, mode: '400' },
	mapped: { shown: MAPPED, path: 'path/to/data-2' },
	mappedMode: { shown: MAPPED_MODE, path: 'path/to/data-2', mode: '400' },
	mappedNonRoot: { shown: MAPPED, path: 'path/to/data-2', user: 1000 },
	/** The group may read what the owner may. */
	group: { shown: { defaultMode: 0o440 }, mode: '440', user: 1000, fsGroup: 1001 },
	twice: { times: 2 },
} satisfies Readonly<Record<string, Case>>;
