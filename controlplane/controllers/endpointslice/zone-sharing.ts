/** Which services have endpoints that zones share, and what is told of it: what outlasts one look at a service. */
import type { EndpointSlice, Service } from '../../../api/gen/types.ts';
import type { Key } from '../../../api/resource.ts';
import { SERVICES } from '../../../api/resources.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { EndpointGroup } from './endpoints.ts';
import type { AddressType } from './family.ts';
import { sharesZones } from './hints.ts';
import { planSlices, type SlicePlan } from './plan.ts';
import { bareEndpoint, withZoneHints } from './zone-hints.ts';
import { isOverloaded, type ByZone } from './zone-shares.ts';

export class ZoneSharing {
	readonly #recorder: EventRecorder;
	readonly #zones = new Map<Key, Map<string, ByZone>>();
	/** Upstream forgets that a service has hints as soon as one of its families has none. */
	readonly #hinted = new Set<Key>();

	constructor(recorder: EventRecorder) {
		this.#recorder = recorder;
	}

	/** The plan of a service's slices of one family, with the hints of `topology-mode: Auto` where it asks for them. */
	plan(
		key: Key,
		service: Service,
		family: AddressType,
		groups: readonly EndpointGroup[],
		present: readonly EndpointSlice[],
		shares: () => ByZone | undefined,
	): SlicePlan {
		if (!sharesZones(service)) {
			if (this.#hinted.has(key))
				this.#tell(service, 'Warning', 'TopologyAwareHintsDisabled', 'Topology Aware Hints has been disabled', family);
			this.forgetFamily(key, family);
			return planSlices(service, family, groups, present);
		}
		const plan = planSlices(service, family, withPresentHints(groups, present), present);
		const changed = new Set([...plan.update, ...plan.delete].map((slice) => slice.metadata.name));
		const hinted = withZoneHints(
			plan,
			present.filter((slice) => !changed.has(slice.metadata.name)),
			shares(),
		);
		if (typeof hinted.zones === 'string') {
			this.#tell(service, 'Warning', 'TopologyAwareHintsDisabled', hinted.zones, family);
			this.forgetFamily(key, family);
		} else {
			if (!this.#hinted.has(key))
				this.#tell(service, 'Normal', 'TopologyAwareHintsEnabled', 'Topology Aware Hints has been enabled', family);
			this.#hinted.add(key);
			this.#zones.set(key, (this.#zones.get(key) ?? new Map<string, ByZone>()).set(family, hinted.zones));
		}
		return hinted.plan;
	}

	/** Services of which a zone has too few endpoints, as nodes have changed. */
	overloaded(shares: () => ByZone | undefined): readonly Key[] {
		if (this.#zones.size === 0) return [];
		const now = shares();
		return [...this.#zones].filter(([, families]) => [...families.values()].some((zones) => isOverloaded(zones, now))).map(([key]) => key);
	}

	forget(key: Key): void {
		this.#zones.delete(key);
		this.#hinted.delete(key);
	}

	/** The service has no endpoints of this family any more. */
	forgetFamily(key: Key, family: string): void {
		const families = this.#zones.get(key);
		families?.delete(family);
		if (families?.size === 0) this.#zones.delete(key);
		this.#hinted.delete(key);
	}

	#tell(service: Service, type: 'Normal' | 'Warning', reason: string, message: string, family: AddressType): void {
		this.#recorder.event(referenceTo(SERVICES, service), type, reason, `${message}, addressType: ${family}`);
	}
}

/** Hints are no reason to write a slice: endpoints have those that they have. */
function withPresentHints(groups: readonly EndpointGroup[], present: readonly EndpointSlice[]): readonly EndpointGroup[] {
	const known = new Map(present.flatMap((slice) => slice.endpoints ?? []).map((endpoint) => [endpoint.addresses.join(), endpoint]));
	return groups.map(({ ports, endpoints }) => ({
		ports,
		endpoints: endpoints.map((endpoint) => {
			const now = known.get(endpoint.addresses.join());
			return now !== undefined && sameButNulls(bareEndpoint(now), endpoint) ? now : endpoint;
		}),
	}));
}
