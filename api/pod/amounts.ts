/** Lists of resources as exact amounts, added and compared. Pure. */
import { formatQuantity, parseQuantity, type Quantity } from '../quantity.ts';

/** Resource name to amount. */
export type Amounts = Map<string, Quantity>;

type ResourceList = Readonly<Record<string, string | number>>;

export function amountsOf(list: ResourceList | undefined | null): Amounts {
	return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

export function resourceList(amounts: ReadonlyMap<string, Quantity>): Record<string, string> {
	return Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

/** Adds in place. */
export function addTo(to: Amounts, more: ReadonlyMap<string, Quantity>): Amounts {
	for (const [name, quantity] of more) {
		const has = to.get(name);
		to.set(name, has === undefined ? quantity : { nano: has.nano + quantity.nano, format: has.nano === 0n ? quantity.format : has.format });
	}
	return to;
}

/** Raises in place to the other's amounts. */
export function raiseTo(to: Amounts, other: ReadonlyMap<string, Quantity>): Amounts {
	for (const [name, quantity] of other) {
		const has = to.get(name);
		if (has === undefined || quantity.nano > has.nano) to.set(name, quantity);
	}
	return to;
}
