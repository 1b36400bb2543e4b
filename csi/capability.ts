/** Volume capabilities as the driver decides by them, read from CSI messages and kept in records. Pure. */
import { AppError } from '../base/errors.ts';
import { VolumeCapability_AccessMode_Mode as Mode, type VolumeCapability } from './proto.ts';

export type FsType = 'ext4' | 'xfs';
export const FS_TYPES: readonly string[] = ['ext4', 'xfs'] satisfies readonly FsType[];

export type ModeName = Exclude<keyof typeof Mode, 'UNKNOWN' | 'UNRECOGNIZED'>;

/** How a volume is used: as a file system or as a raw device. */
export type Access =
	| { readonly kind: 'block' }
	| {
			readonly kind: 'mount';
			/** Undefined: whatever the volume has. */
			readonly fsType?: FsType | undefined;
			readonly flags: readonly string[];
			/** A group id that files shall belong to. */
			readonly group?: number | undefined;
	  };

export interface Capability {
	readonly access: Access;
	readonly mode: ModeName;
}

/** Options that would make a mount something else than a mount of this volume. */
const NOT_FLAGS =
	/^(?:r?bind|move|remount|loop(?:=.*)?|offset=.*|sizelimit=.*|make-.*|r?(?:shared|slave|private|unbindable)|X-mount\..*|x-.*|(?:log|rt)dev=.*|journal_(?:dev|path)=.*|errors=panic)$/;
/** An SELinux label, which may have commas and stands in quotes then; nothing else may be quoted, or mount(8) might see other flags than were looked at. */
const LABEL = /^(?:root|fs|def)?context="[^"\\\s\0]*"$/;
const FLAG = /(?<=^|,)(?:root|fs|def)?context="[^"\\\s\0]*"(?=,|$)|[^,]+/g;
const MODES = new Map<number, ModeName>(
	Object.entries(Mode).flatMap(([name, value]) => (value > 0 ? [[value, name as ModeName] as const] : [])),
);

/** Throws InvalidArgument for what is missing, unknown, or not a capability of this driver's volumes. */
export function readCapability(capability: VolumeCapability | undefined): Capability {
	if (capability === undefined) throw invalid('The volume capability is missing');
	const mode = MODES.get(capability.accessMode?.mode ?? 0);
	if (mode === undefined) throw invalid('The access mode of the volume capability is missing or unknown');
	const { accessType } = capability;
	if (accessType === undefined) throw invalid('The volume capability has no access type');
	switch (accessType.$case) {
		case 'block':
			return { access: { kind: 'block' }, mode };
		case 'mount': {
			const { fsType, mountFlags, volumeMountGroup } = accessType.value;
			if (fsType !== '' && !FS_TYPES.includes(fsType)) throw invalid(`File system "${fsType}" is not one of ${FS_TYPES.join(', ')}`);
			const flags = mountFlags.flatMap((flag) => flag.match(FLAG) ?? []);
			const bad = flags.find((flag) => NOT_FLAGS.test(flag) || (!LABEL.test(flag) && /[\s\0"]/.test(flag)));
			if (bad !== undefined) throw invalid(`Mount flag "${bad}" is not allowed`);
			const group = readGroup(volumeMountGroup);
			return {
				access: {
					kind: 'mount',
					flags,
					...(fsType === '' ? {} : { fsType: fsType as FsType }),
					...(group === undefined ? {} : { group }),
				},
				mode,
			};
		}
	}
}

/** All capabilities of one request, which must be of one kind. */
export function readCapabilities(capabilities: readonly VolumeCapability[]): readonly Capability[] {
	if (capabilities.length === 0) throw invalid('The volume capabilities are missing');
	const read = capabilities.map(readCapability);
	if (new Set(read.map((c) => c.access.kind)).size > 1) throw invalid('A volume is either a file system or a block device, not both');
	const types = new Set(read.flatMap((c) => (c.access.kind === 'mount' && c.access.fsType !== undefined ? [c.access.fsType] : [])));
	if (types.size > 1) throw invalid(`A volume has one file system, not ${[...types].join(' and ')}`);
	return read;
}

export function isReadOnlyMode(mode: ModeName): boolean {
	return mode === 'SINGLE_NODE_READER_ONLY' || mode === 'MULTI_NODE_READER_ONLY';
}

export function isMultiNode(mode: ModeName): boolean {
	return mode.startsWith('MULTI_NODE_');
}

/** The same in everything that a mounted volume shows. */
export function sameCapability(a: Capability, b: Capability): boolean {
	if (a.mode !== b.mode || a.access.kind !== b.access.kind) return false;
	if (a.access.kind === 'block' || b.access.kind === 'block') return true;
	return a.access.fsType === b.access.fsType && a.access.group === b.access.group && flagText(a.access.flags) === flagText(b.access.flags);
}

/** In any order; labels have been kept in pieces once. */
function flagText(flags: readonly string[]): string {
	return flags.join(',').split(',').toSorted().join(',');
}

function readGroup(text: string): number | undefined {
	if (text === '') return undefined;
	if (!/^\d{1,10}$/.test(text) || Number(text) > 0xfffffffe) throw invalid(`Volume mount group "${text}" is not a group id`);
	return Number(text);
}

function invalid(message: string): AppError {
	return new AppError('InvalidArgument', message);
}
