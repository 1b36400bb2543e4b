/** The bounds of one LimitRange item against what is asked for, in upstream's words. Pure. */
import type { LimitRangeItem } from '../../../../api/gen/types.ts';
import { compareQuantities, parseQuantity } from '../../../../api/quantity.ts';

export type Amounts = Readonly<Record<string, string>>;

/** @param limits undefined for claims, which have none */
export function violationsOf(item: LimitRangeItem, requests: Amounts, limits: Amounts | undefined): readonly string[] {
	const out: string[] = [];
	const { type } = item;
	for (const [name, bound] of sorted(item.min)) {
		const rule = `minimum ${name} usage per ${type} is ${bound}`;
		const request = requests[name];
		const limit = limits?.[name];
		if (request === undefined) out.push(`${rule}.  No request is specified`);
		else if (compareQuantities(request, bound) < 0) out.push(`${rule}, but request is ${request}`);
		else if (limit !== undefined && compareQuantities(limit, bound) < 0) out.push(`${rule}, but limit is ${limit}`);
	}
	for (const [name, bound] of sorted(item.max)) {
		const rule = `maximum ${name} usage per ${type} is ${bound}`;
		const request = requests[name];
		const limit = limits?.[name];
		if (limits === undefined) {
			if (request === undefined) out.push(`${rule}.  No request is specified`);
			else if (compareQuantities(request, bound) > 0) out.push(`${rule}, but request is ${request}`);
		} else if (limit === undefined) out.push(`${rule}.  No limit is specified`);
		else if (compareQuantities(limit, bound) > 0) out.push(`${rule}, but limit is ${limit}`);
		else if (request !== undefined && compareQuantities(request, bound) > 0) out.push(`${rule}, but request is ${request}`);
	}
	for (const [name, bound] of sorted(item.maxLimitRequestRatio)) {
		const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
		const request = amount(requests[name]);
		const limit = amount(limits?.[name]);
		if (request === 0) out.push(`${rule}, but no request is specified or request is 0`);
		else if (limit === 0) out.push(`${rule}, but no limit is specified or limit is 0`);
		else if (limit / request > amount(bound)) out.push(`${rule}, but provided ratio is ${(limit / request).toFixed(6)}`);
	}
	return out;
}

function sorted(amounts: Amounts | undefined): readonly (readonly [string, string])[] {
	return Object.entries(amounts ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

function amount(quantity: string | undefined): number {
	return quantity === undefined ? 0 : Number(parseQuantity(quantity).nano) / 1e9;
}
