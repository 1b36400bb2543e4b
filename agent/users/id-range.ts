/** Which of the machine's user and group ids are for pods with users of their own, and how a pod's share is written down (upstream pkg/kubelet/userns). Pure. */
import { AppError, messageOf } from '../../base/errors.ts';

/** A pod's users begin at 0, and are these on the machine; groups too. */
export interface IdRange {
	readonly hostId: number;
	readonly length: number;
}

/** Ids that pods may have, shared out in pieces of the same length. */
export interface IdSpan {
	readonly firstId: number;
	readonly length: number;
}

/** Lengths are multiples of it; a pod has so many unless told. */
export const ID_UNIT = 65_536;
/** Linux' ids. */
const ALL_IDS = 2 ** 32;

/** All but those below the first piece: the machine's own. */
export function defaultSpan(idsPerPod: number): IdSpan {
	return { firstId: idsPerPod, length: ALL_IDS - idsPerPod };
}

/** What keeps the span from being shared out; empty when nothing does. */
export function spanFault({ firstId, length }: IdSpan, idsPerPod: number, maxPods: number): string {
	if (idsPerPod % ID_UNIT !== 0) return `kubelet user namespace length ${idsPerPod} is not a multiple of ${ID_UNIT}`;
	if (firstId % idsPerPod !== 0) return `kubelet user assigned ID ${firstId} is not a multiple of ${idsPerPod}`;
	if (firstId < idsPerPod) return `kubelet user assigned ID ${firstId} must be greater or equal to ${idsPerPod}`;
	if (length % idsPerPod !== 0) return `kubelet user assigned IDs length ${length} is not a multiple of ${idsPerPod}`;
	if (length / idsPerPod < maxPods) return `kubelet user assigned IDs are not enough to support ${maxPods} pods`;
	return '';
}

/** What `getsubids` says: "0: kubelet 65536 2147483648". AppError InvalidArgument for anything else. */
export function parseSubIds(text: string): IdSpan {
	const quoted = JSON.stringify(text);
	const lines = text.replace(/^\n+|\n+$/g, '').split('\n');
	if (lines.length !== 1) throw new AppError('InvalidArgument', `error parsing line ${quoted}: it must contain only one line`);
	const parts = (lines[0] ?? '').trim().split(/\s+/);
	if (parts.length !== 4) throw new AppError('InvalidArgument', `invalid line ${quoted}`);
	const [firstId = -1, length = -1] = parts.slice(2).map((part) => (/^\d+$/.test(part) && Number(part) < ALL_IDS ? Number(part) : -1));
	if (firstId < 0 || length < 0) throw new AppError('InvalidArgument', `error parsing line ${quoted}: an id is a number below ${ALL_IDS}`);
	return { firstId, length };
}

/** In upstream's form, so that its kubelet may take over the node. */
export function formatRange({ hostId, length }: IdRange): string {
	const mappings = [{ hostId, containerId: 0, length }];
	return JSON.stringify({ uidMappings: mappings, gidMappings: mappings });
}

/** AppError InvalidArgument, in upstream's words, for what this node would not have written. */
export function parseRange(text: string): IdRange {
	const invalid = (why: string): AppError => new AppError('InvalidArgument', `invalid user namespace ${why}`);
	let found: { readonly uidMappings?: unknown; readonly gidMappings?: unknown } | null;
	try {
		found = JSON.parse(text) as typeof found;
	} catch (error) {
		throw invalid(`mappings file: ${messageOf(error)}`);
	}
	const [uids, gids] = [mappingsIn(found?.uidMappings), mappingsIn(found?.gidMappings)];
	const [uid] = uids;
	const [gid] = gids;
	if (uid === undefined || uids.length !== 1) throw invalid('configuration: no more than one mapping allowed.');
	if (gid === undefined || gids.length !== 1) throw invalid('configuration: GID and UID mappings should be identical.');
	if (uid.hostId !== gid.hostId || uid.containerId !== gid.containerId || uid.length !== gid.length)
		throw invalid('configuration: GID and UID mapping should be identical');
	if (uid.containerId !== 0) throw invalid('configuration: UID 0 must be mapped');
	return { hostId: uid.hostId, length: uid.length };
}

interface Mapping extends IdRange {
	readonly containerId: number;
}

function mappingsIn(value: unknown): readonly Mapping[] {
	if (!Array.isArray(value)) return [];
	return value.map((one: Partial<Mapping> | null) => ({
		hostId: Number(one?.hostId ?? 0),
		containerId: Number(one?.containerId ?? 0),
		length: Number(one?.length ?? 0),
	}));
}
