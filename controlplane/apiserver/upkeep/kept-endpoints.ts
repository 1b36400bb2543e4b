/** Keeps the Endpoints and the EndpointSlice of the kubernetes Service: they show the servers that serve. */
import { ENDPOINT_SLICES, ENDPOINTS } from '../../../api/resources.ts';
import { ignore } from '../../../base/errors.ts';
import { wantedEndpoints, wantedSlice, type Own } from './endpoints.ts';
import type { KeptDeps } from './present.ts';
import type { Kept, Repair } from './upkeep.ts';

interface Deps extends KeptDeps {
	readonly own: Own;
	/** Of all servers that serve, in order; undefined while that is not known. */
	readonly addresses: () => readonly string[] | undefined;
	/** Other servers work on the store. */
	readonly isShared: boolean;
}

/** Upstream's DefaultEndpointReconcilerInterval. */
const INTERVAL_MS = 10_000;
const KEY = 'default/kubernetes';

export function keptEndpoints({ reader, client, own, addresses, isShared }: Deps): Kept {
	// A server shows its port once; from then on one at the same address may show another.
	let wasRight = false;
	return {
		...{ name: `endpoints ${KEY}`, intervalMs: INTERVAL_MS },
		follow(touch) {
			const following = new DisposableStack();
			following.use(reader.onChange(ENDPOINTS, touch, KEY));
			following.use(reader.onChange(ENDPOINT_SLICES, touch, KEY));
			return following;
		},
		look() {
			const known = addresses();
			if (known === undefined) return undefined;
			const repair = repairOf({ reader, client, own, addresses: known, othersShareOwn: isShared && wasRight });
			wasRight ||= repair === undefined;
			return repair;
		},
	};
}

interface Shown extends KeptDeps {
	readonly own: Own;
	readonly addresses: readonly string[];
	readonly othersShareOwn: boolean;
}

/** Undefined where they show these addresses. */
function repairOf({ reader, client, own, addresses, othersShareOwn }: Shown): Repair | undefined {
	const [endpoints, slice] = [reader.get(ENDPOINTS, KEY), reader.get(ENDPOINT_SLICES, KEY)];
	// What is gone needs not be made to say that there are none.
	if (addresses.length === 0 && endpoints === undefined) return undefined;
	const wanted = wantedEndpoints(endpoints, addresses, own, othersShareOwn);
	const wantedIn = wantedSlice(slice, wanted);
	if (wanted === endpoints && wantedIn === slice) return undefined;
	return async (signal) => {
		if (endpoints === undefined) await client.create(ENDPOINTS, wanted, { signal });
		else if (wanted !== endpoints) await client.update(ENDPOINTS, wanted, { signal });
		if (slice !== undefined && slice.addressType !== wantedIn.addressType) {
			const { uid = '' } = slice.metadata;
			await client.delete(ENDPOINT_SLICES, KEY, { signal, uid }).catch(ignore('NotFound'));
			await client.create(ENDPOINT_SLICES, wantedIn, { signal });
		} else if (slice === undefined) await client.create(ENDPOINT_SLICES, wantedIn, { signal });
		else if (wantedIn !== slice) await client.update(ENDPOINT_SLICES, wantedIn, { signal });
	};
}
