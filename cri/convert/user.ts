/** Whom a container's first process runs as: the pod's wishes, the image's user, and the image's /etc/passwd and /etc/group. Pure. */
import { AppError } from '../../base/errors.ts';
import { SupplementalGroupsPolicy, type ContainerUser, type LinuxContainerSecurityContext } from '../proto.ts';

/** The image's files; empty texts where it has none. */
export interface UserFiles {
	readonly passwd: string;
	readonly group: string;
}

/** As the kernel sees the process. */
export interface Identity {
	readonly uid: number;
	readonly gid: number;
	/** Sorted; the primary group is among them. */
	readonly groups: readonly number[];
}

/** The engine's `User` and `GroupAdd`, and what comes of them. */
export interface UserPlan {
	readonly user: string;
	readonly groupAdd: readonly string[];
	/** Unknown where the image's files have no such name: the engine then says so itself. */
	readonly identity: Identity | undefined;
}

/**
 * Policy Merge adds the groups that the image's /etc/group gives the user, Strict leaves them out. The engine itself adds them exactly
 * when no primary group is named: so Strict names the one it would have found, and Merge with a primary group adds them by number.
 */
export function planUser(context: LinuxContainerSecurityContext | undefined, imageUser: string, files: UserFiles): UserPlan {
	const asked = engineUser(context);
	const supplemental = (context?.supplementalGroups ?? []).map(Number);
	const spec = asked === '' ? imageUser : asked;
	const found = lookUp(spec, files);
	if (found === undefined) {
		if (context?.supplementalGroupsPolicy === SupplementalGroupsPolicy.Strict)
			throw new AppError('InvalidArgument', `Cannot keep to the pod's groups alone: the image has no user "${spec}"`);
		return { user: asked, groupAdd: supplemental.map(String), identity: undefined };
	}
	const { uid, gid } = found;
	const strict = context?.supplementalGroupsPolicy === SupplementalGroupsPolicy.Strict;
	const ofImage = strict ? [] : found.groups;
	const identity = { uid, gid, groups: [...new Set([gid, ...ofImage, ...supplemental])].toSorted((a, b) => a - b) };
	if (strict) return { user: `${uid}:${gid}`, groupAdd: supplemental.map(String), identity };
	const more = spec.includes(':') ? ofImage.filter((g) => g !== gid) : [];
	return { user: asked, groupAdd: [...new Set([...supplemental, ...more])].map(String), identity };
}

/** The engine's `User`: "", "uid", "uid:gid" or a name. A group without a user is refused, as CRI asks. */
export function engineUser(context: LinuxContainerSecurityContext | undefined): string {
	const user = context?.runAsUser?.value.toString() ?? context?.runAsUsername ?? '';
	const group = context?.runAsGroup?.value;
	if (group === undefined) return user;
	if (user === '') throw new AppError('InvalidArgument', 'run_as_group is set without run_as_user or run_as_username');
	return `${user}:${group}`;
}

export function criUser(identity: Identity | undefined): ContainerUser | undefined {
	if (identity === undefined) return undefined;
	const { uid, gid, groups } = identity;
	return { linux: { uid: BigInt(uid), gid: BigInt(gid), supplementalGroups: groups.map(BigInt) } };
}

/** "user[:group]" by name or number; a number that the files do not know is itself, with group 0. Empty is root. */
function lookUp(spec: string, files: UserFiles): Identity | undefined {
	const [user = '', group] = spec.split(':');
	const entry = rows(files.passwd).find((row) => (user === '' ? row[2] === '0' : row[0] === user || (isNumber(user) && row[2] === user)));
	const uid = entry === undefined ? numberOf(user === '' ? '0' : user) : numberOf(entry[2]);
	if (uid === undefined) return undefined;
	const all = rows(files.group);
	const gid =
		group === undefined || group === ''
			? (numberOf(entry?.[3]) ?? 0)
			: (numberOf(group) ?? numberOf(all.find((row) => row[0] === group)?.[2]));
	if (gid === undefined) return undefined;
	const name = entry?.[0];
	const groups =
		name === undefined ? [] : all.filter((row) => (row[3] ?? '').split(',').includes(name)).flatMap((row) => numberOf(row[2]) ?? []);
	return { uid, gid, groups };
}

function rows(text: string): readonly (readonly string[])[] {
	return text
		.split('\n')
		.filter((line) => line !== '' && !line.startsWith('#'))
		.map((line) => line.split(':'));
}

function isNumber(text: string): boolean {
	return /^\d+$/.test(text);
}

function numberOf(text: string | undefined): number | undefined {
	return text !== undefined && isNumber(text) ? Number(text) : undefined;
}
