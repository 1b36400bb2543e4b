/** Since when legacy tokens are tracked (upstream's legacytokentracking controller): a ConfigMap with a day, which is kept while it is one. */
import { CONFIG_MAPS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { legacyTokenTracking } from '../bootstrap/system-objects.ts';
import { present, type KeptDeps } from './present.ts';
import type { Kept } from './upkeep.ts';

/** Servers that do not track delete it: those that do are not to fight with them (upstream's creationRatelimiter). */
const MADE_MS = 30 * 60_000;
/** Upstream mends the day at every change. */
const MENDED_MS = 10_000;
const KEY = 'kube-system/kube-apiserver-legacy-service-account-token-tracking';

export function tokenTracking(deps: KeptDeps & { readonly clock: Clock }): readonly Kept[] {
	const { reader, client, clock } = deps;
	const make = () => legacyTokenTracking(clock.now());
	return [
		present(CONFIG_MAPS, make, MADE_MS, deps),
		{
			...{ name: `the day of configmaps ${KEY}`, intervalMs: MENDED_MS },
			follow: (touch) => reader.onChange(CONFIG_MAPS, touch, KEY),
			look() {
				const stored = reader.get(CONFIG_MAPS, KEY);
				if (stored === undefined || isDay(stored.data?.['since'] ?? '')) return undefined;
				return (signal) => client.update(CONFIG_MAPS, { ...stored, data: { ...stored.data, ...make().data } }, { signal });
			},
		},
	];
}

/** "2026-01-31" */
function isDay(text: string): boolean {
	const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
	// February 30 is read as a day of March.
	return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
