/** The order of a merged list: items that the patch names in its order, the server's own between them where they stood. */

export interface Parts {
	readonly named: readonly unknown[];
	readonly serverOnly: readonly unknown[];
}

function identity(item: unknown, key: string): unknown {
	return key === '' ? item : (item as Record<string, unknown>)[key];
}

/** Splits by presence in a list of items (or of their keys). */
export function partition(merged: readonly unknown[], by: readonly unknown[], key: string): Parts {
	const present = new Set(by.map((item) => identity(item, key)));
	const isNamed = (item: unknown): boolean => present.has(identity(item, key));
	return { named: merged.filter(isNamed), serverOnly: merged.filter((item) => !isNamed(item)) };
}

export function inOrder(
	{ named, serverOnly }: Parts,
	patchOrder: readonly unknown[],
	serverOrder: readonly unknown[],
	key: string,
): unknown[] {
	const server = places(serverOrder, key);
	const right = sorted(named, places(patchOrder, key), key);
	const left = sorted(serverOnly, server, key);
	const out: unknown[] = [];
	let i = 0;
	let j = 0;
	while (i < left.length && j < right.length) {
		const a = server.get(identity(left[i], key));
		const b = server.get(identity(right[j], key));
		if (a !== undefined && b !== undefined && a < b) out.push(left[i++]);
		else out.push(right[j++]);
	}
	return [...out, ...left.slice(i), ...right.slice(j)];
}

function places(order: readonly unknown[], key: string): ReadonlyMap<unknown, number> {
	const out = new Map<unknown, number>();
	for (const [i, item] of order.entries()) if (!out.has(identity(item, key))) out.set(identity(item, key), i);
	return out;
}

function sorted(items: readonly unknown[], order: ReadonlyMap<unknown, number>, key: string): unknown[] {
	return items.toSorted((a, b) => (order.get(identity(a, key)) ?? 0) - (order.get(identity(b, key)) ?? 0));
}
