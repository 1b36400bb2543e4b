/** A user as Go's %v prints one, which some of upstream's messages show. */
import type { UserInfo } from '../contracts.ts';

export function goUser({ name, uid, groups, extra }: UserInfo): string {
	const list = (values: readonly string[]): string => `[${values.join(' ')}]`;
	const more = Object.keys(extra)
		.toSorted()
		.map((key) => `${key}:${list(extra[key] ?? [])}`);
	return `&{${name} ${uid} ${list(groups)} map${list(more)}}`;
}
