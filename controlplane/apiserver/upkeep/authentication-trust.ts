/** Keeps the ConfigMap by which extension API servers know whom to trust (upstream's clusterauthenticationtrust controller). */
import { CONFIG_MAPS } from '../../../api/resources.ts';
import { sameJson } from '../../../api/same-json.ts';
import { StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import { authenticationConfig } from '../bootstrap/system-objects.ts';
import type { FrontProxyOptions } from '../authn/front-proxy.ts';
import { mergedTrust } from './merged-trust.ts';
import type { KeptDeps } from './present.ts';
import type { Kept } from './upkeep.ts';

interface Options {
	readonly clientCa: string;
	readonly frontProxy?: FrontProxyOptions | undefined;
}

/** Upstream looks so often, whatever it is told. */
const INTERVAL_MS = 60_000;
const KEY = 'kube-system/extension-apiserver-authentication';

export function authenticationTrust({ clientCa, frontProxy }: Options, deps: KeptDeps & { readonly clock: Clock }): Kept {
	const { reader, client, clock } = deps;
	const own = authenticationConfig(clientCa, frontProxy);
	return {
		...{ name: `configmaps ${KEY}`, intervalMs: INTERVAL_MS },
		follow: (touch) => reader.onChange(CONFIG_MAPS, touch, KEY),
		look() {
			const stored = reader.get(CONFIG_MAPS, KEY);
			const data = mergedTrust(stored?.data ?? {}, own.data ?? {}, clock.now());
			if (stored === undefined) return (signal) => client.create(CONFIG_MAPS, { ...own, data }, { signal });
			if (sameJson(stored.data ?? {}, data)) return undefined;
			return async (signal) => {
				try {
					await client.update(CONFIG_MAPS, { ...stored, data }, { signal });
				} catch (error) {
					if (!isTooLarge(error)) throw error;
					// What nobody takes away has become too much: without it each server adds its own again.
					const { uid = '' } = stored.metadata;
					await client.delete(CONFIG_MAPS, KEY, { signal, uid });
					await client.create(CONFIG_MAPS, own, { signal });
				}
			};
		},
	};
}

function isTooLarge(error: unknown): boolean {
	return error instanceof StatusError && (error.reason === 'RequestEntityTooLarge' || error.message.includes('Too long'));
}
