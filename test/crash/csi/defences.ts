/** What keeps hostile callers, pods and local users inside the storage driver's folders, and limits on what they are for, each with the test that stands for it. */
import type { Defence, Defended } from '../../tools/defences.ts';

const HELD = {
	file: 'host/held-mount.ts',
	from: 'if (whereIs(held) === path && !fstatSync(held.fd).isSymbolicLink()) return held;',
	to: 'return held;',
} as const;

const LIMITS = { file: 'csi/qos/volume-limits.ts', in: 'csi/qos/volume-limits.test.ts' } as const;

const LIST: readonly Defence[] = [
	{ file: 'csi/ids.ts', from: "return isId('vol', handle) ? handle : idOf('inline', handle);", to: 'return handle;', test: 'ids*' },
	{ file: 'csi/ids.ts', from: "createHash('sha256').update(name).digest('hex').slice(0, 40)", to: 'name', test: 'names*' },
	{
		file: 'csi/records/node-records.ts',
		from: "encodeURIComponent(nodeId).replaceAll('.', '%2E')",
		to: 'nodeId',
		test: 'names*',
	},
	{ file: 'csi/node/paths.ts', from: 'if (!isAbsolute(path)', to: 'if (false', test: 'paths: links on the way*' },
	{ file: 'csi/node/paths.ts', from: "if (path.split('/').includes('..'))", to: 'if (false)', test: 'paths: links on the way*' },
	{ file: 'csi/node/paths.ts', from: "if (plain === '/')", to: 'if (false)', test: 'paths: links on the way*' },
	{ file: 'csi/node/paths.ts', from: '?.isSymbolicLink())', to: '?.isFIFO())', test: 'paths: nothing*' },
	{ file: 'csi/node/paths.ts', from: 'if (!realRoots.some(', to: 'if (false && realRoots.some(', test: 'paths: nothing*' },
	{ file: 'csi/node/paths.ts', from: 'map((dir) => realParent(dir))', to: 'map((dir) => Promise.resolve(dir))', test: 'paths: nothing*' },
	{
		file: 'csi/node/stats.ts',
		from: 'throw new AppError(\'NotFound\', `Volume "${known.id}" is not at "${asked}"`);',
		to: 'return path;',
		test: 'paths: nothing*',
	},
	{ ...HELD, also: ['await make(placeFor(held))', 'await make(target)'], test: 'swaps*' },
	{ ...HELD, also: ['mounter.bind(placeFor(from), place)', 'mounter.bind(source, place)'], test: 'swaps: *what is published*' },
	{ file: 'csi/node/mount-group.ts', from: 'await openItself(', to: 'await openFolder(', test: 'links in a volume*' },
	{ file: 'csi/capability.ts', from: 'NOT_FLAGS.test(flag)', to: 'false', test: 'mount flags*' },
	{ file: 'csi/capability.ts', from: 'flag.match(FLAG) ?? []', to: '[flag]', test: 'mount flags*' },
	{ file: 'csi/capability.ts', from: ' || (!LABEL.test(flag) && /[\\s\\0"]/.test(flag))', to: '', test: 'mount flags*' },
	{ file: 'csi/capability.ts', from: "fsType !== '' && !FS_TYPES.includes(fsType)", to: 'false', test: 'mount flags*' },
	{
		file: 'csi/rpcs.ts',
		from: 'handler(context, request, signal);',
		to: "(context.log.debug('asked', { request: JSON.stringify(request, (_, v) => (typeof v === 'bigint' ? 0 : v)) }), handler(context, request, signal));",
		test: 'secrets*',
	},
	{ file: 'csi/records/record-folders.ts', from: 'recursive: true, mode: 0o700', to: 'recursive: true, mode: 0o755', test: 'other users*' },
	{ file: 'csi/records/node-records.ts', from: 'recursive: true, mode: 0o700', to: 'recursive: true, mode: 0o755', test: 'other users*' },
	{ ...LIMITS, from: ' && !this.#lifted.has(id) ?', to: ' ?', test: 'NodeUnstageVolume: unmounted*' },
	{ ...LIMITS, from: 'const LOOK_AT_ALL_MS = 30_000;', to: 'const LOOK_AT_ALL_MS = 30_000_000;', test: 'a node service finds*' },
	{ ...LIMITS, from: 'this.#loops.fileOf(basename(path)) === backingFile', to: 'true', test: 'a device that became*' },
	{ ...LIMITS, from: "access === 'mount' || !d.autoclear", to: 'true', test: 'a device that only readers had*' },
];

export const DEFENCES: Defended = {
	list: LIST,
	tests: ['csi/security.integration.test.ts', 'csi/csi.test.ts', 'csi/qos/volume-limits.test.ts'],
};
