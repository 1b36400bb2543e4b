/**
 * Ids of volumes, snapshots, groups and inline volumes: the kind and the hash of the name that was asked for. So a repeated create finds what the first one made
 * without an index, a name of any characters is a safe folder name, and an id of any other shape names nothing.
 */
import { createHash } from 'node:crypto';

export type IdKind = 'vol' | 'snap' | 'group' | 'inline';

const SHAPE = /^(vol|snap|group|inline)-[0-9a-f]{40}$/;

export function idOf(kind: IdKind, name: string): string {
	return `${kind}-${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
}

/** Members of a group snapshot are named by group and volume, apart from what snapshots of their own can be named. */
export function memberId(groupId: string, volumeId: string): string {
	return idOf('snap', `\0${groupId}\0${volumeId}`);
}

export function isId(kind: IdKind, text: string): boolean {
	return SHAPE.exec(text)?.[1] === kind;
}

/** How a node knows what callers name: volumes of the pool by their ids; any other handle can only be that of an inline volume, which its kubelet chose. */
export function idOnNode(handle: string): string {
	return isId('vol', handle) ? handle : idOf('inline', handle);
}
