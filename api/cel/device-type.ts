/** What expressions of selectors know of a device, and how large it may be (upstream dynamic-resource-allocation/cel/compile.go). */
import { environment } from './environment.ts';
import type { SizeAt } from './ranges.ts';
import { ANY, BOOL, mapOf, objectOf, opaque, STRING } from './types.ts';

export const DEVICE = environment({
	variables: {
		device: objectOf('kubernetes.DRADevice', {
			driver: STRING,
			attributes: mapOf(STRING, mapOf(STRING, ANY)),
			capacity: mapOf(STRING, mapOf(STRING, opaque('kubernetes.Quantity'))),
			allowMultipleAllocations: BOOL,
		}),
	},
	binds: true,
});

/** The most that one may cost (CELSelectorExpressionMaxCost). */
export const MAX_SELECTOR_COST = 1_000_000;

/** The most of each: entries of a map, bytes of a text (api/resource/v1/types.go). */
const MOST = { driver: 63, domain: 63, id: 32, entries: 32, value: 64 } as const;

/** Sizes below `device`. Every attribute is of one, whatever its name; quantities have none. */
export const deviceSizes: SizeAt = ([root, field, domain, name, ...deeper]) => {
	const most = root !== 'device' || deeper.length > 0 ? undefined : sizeOf(field, domain, name);
	return most === undefined ? undefined : { min: 0, max: most };
};

function sizeOf(field: string | undefined, domain: string | undefined, name: string | undefined): number | undefined {
	if (field === undefined) return 0;
	if (field !== 'attributes' && field !== 'capacity') {
		if (domain !== undefined) return undefined;
		return field === 'driver' ? MOST.driver : field === 'allowMultipleAllocations' ? 1 : undefined;
	}
	if (domain === undefined) return MOST.entries;
	if (domain === '@keys') return name === undefined ? MOST.domain : undefined;
	if (domain !== '@values' && domain !== '@items') return undefined;
	if (name === undefined) return MOST.entries;
	if (name === '@keys') return MOST.id;
	if (field === 'attributes') return MOST.value;
	return name === '@values' || name === '@items' ? 0 : undefined;
}
