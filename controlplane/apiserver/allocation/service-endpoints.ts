/**
 * The Endpoints of a Service that goes, by whomever they are written: they go in the commit that removes it, so that a new Service of the name does
 * not begin with the old ones (upstream's afterDelete in registry/core/service/storage deletes them next).
 */
import type { KubeObject } from '../../../api/resource.ts';
import { ENDPOINTS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Store, Write } from '../../storage/store.ts';
import type { Parsed } from '../answer/parsed.ts';
import { terminating } from '../registry/delete.ts';
import { storeKey, type Kinds } from '../registry/kinds.ts';
import type { Draft } from '../strategy/strategy.ts';

interface Deps {
	readonly kinds: Kinds;
	readonly store: Store;
	readonly parsed: Parsed;
	readonly clock: Clock;
}

/** As a DELETE without options does: what finalizers hold is marked. */
export function endpointsRemoval(
	{ kinds, store, parsed, clock }: Deps,
	{ metadata: { namespace = '', name = '' } }: KubeObject,
): readonly Write[] {
	const kind = kinds.of(ENDPOINTS);
	const key = storeKey(kind, namespace, name);
	const entry = store.get(key);
	if (entry === undefined) return [];
	const old = parsed.of<Draft>(entry);
	const next = terminating(kind, old, {}, clock.now());
	if (next === old) return [];
	return [{ key, expect: entry.revision, ...(next === undefined ? {} : { value: kind.encode(next) }) }];
}
