/** The device manager: devices that plugins tell of, given to containers, which keep them over restarts of the agent and of the plugin. */
import type { Container, Pod, ResourceStatus } from '../../api/gen/types.ts';
import { withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { isOfClaim } from '../dra/extended.ts';
import { amountOf } from '../pod/amounts.ts';
import { uidOf } from '../pod/uid.ts';
import { Saver } from '../saver.ts';
import { endsFirst, inOrder, podAmount } from '../topology/amounts.ts';
import type { PlacementFigures } from '../topology/figures.ts';
import { hintsOf, type Giver, type Hint, type Hints } from '../topology/hint.ts';
import { has, maskOf, sizeOf, type Mask } from '../topology/mask.ts';
import { readDevices, writeDevices, type ContainerDevices, type DeviceState, type HeldDevices } from './checkpoint.ts';
import { chooseDevices, type Device } from './choose.ts';
import { givenBy, NO_DEVICES, type GivenDevices } from './given.ts';
import { KnownResource } from './known.ts';
import { connectPlugin, devicesIn, preferred, preStart, type DevicePlugin } from './plugin.ts';

/** Upstream's, of PreStartContainer; a plugin that does not answer the other calls would keep every pod from being admitted. */
const CALL_MS = 30_000;

export interface DevicesOptions {
	/** Of the plugins' sockets and the checkpoint. */
	readonly folder: string;
	readonly masks: readonly Mask[];
	readonly clock: Clock;
	readonly log: Log;
	readonly figures: PlacementFigures;
	/** Ends with the agent. */
	readonly signal: AbortSignal;
	/** What the node has to give has changed. */
	readonly changed: () => void;
	/** How a device is that this pod has may have changed. */
	readonly wake: (uid: string) => void;
}

export class Devices implements Giver {
	readonly #given: DevicesOptions;
	readonly #known: Map<string, KnownResource>;
	readonly #held: DeviceState['held'];
	readonly #saver: Saver;

	constructor(given: DevicesOptions, { held, registered }: DeviceState) {
		this.#given = given;
		this.#held = held;
		const now = given.clock.now();
		this.#known = new Map([...registered].map(([resource, ids]) => [resource, new KnownResource(ids, now)]));
		this.#saver = new Saver(
			() => writeDevices(given.folder, this.#state),
			(error) => given.log.error('cannot keep who has which devices', { reason: messageOf(error) }),
		);
	}

	static async open(given: DevicesOptions): Promise<Devices> {
		return new Devices(given, await readDevices(given.folder, given.log));
	}

	/** Connects to a plugin and listens to it until it goes; one before it for the same resource is let go. */
	async register(resource: string, endpoint: string, signal: AbortSignal): Promise<void> {
		const { clock, figures, log } = this.#given;
		const plugin = await connectPlugin(resource, endpoint, clock, signal);
		figures.pluginRegistrations.inc({ resource_name: resource });
		const known = this.#known.get(resource) ?? new KnownResource([], clock.now());
		this.#known.set(resource, known);
		known.came(plugin);
		this.#listen(plugin, known).catch((error: unknown) => {
			if (!this.#given.signal.aborted) log.warn('a device plugin has gone', { resource, reason: messageOf(error) });
		});
	}

	/** The plugin is no more. */
	deregister(resource: string): void {
		const known = this.#known.get(resource);
		if (known?.plugin === undefined) return;
		known.went(known.plugin, this.#given.clock.now());
		this.#tell(resource);
	}

	/** What the node's status says of them. */
	counts(): { readonly capacity: Readonly<Record<string, string>>; readonly allocatable: Readonly<Record<string, string>> } {
		const now = this.#given.clock.now();
		const counts = [...this.#known].map(([resource, known]) => [resource, known.counts(now)] as const);
		return {
			capacity: Object.fromEntries(counts.map(([resource, { all }]) => [resource, String(all)])),
			allocatable: Object.fromEntries(counts.map(([resource, { healthy }]) => [resource, String(healthy)])),
		};
	}

	/** Healthy ones by resource. */
	allocatable(): ReadonlyMap<string, readonly Device[]> {
		return new Map([...this.#known].map(([resource, known]) => [resource, known.healthy]));
	}

	held(uid: string, container: string): ContainerDevices {
		return this.#held.get(uid, container) ?? new Map<string, HeldDevices>();
	}

	/** How what a container has is now. */
	healthOf(uid: string, container: string): readonly ResourceStatus[] {
		return [...this.held(uid, container)].map(([resource, { ids }]) => {
			const known = this.#known.get(resource);
			const health = (id: string) => (known?.isUnhealthy(id) === true ? 'Unhealthy' : 'Healthy');
			return { name: resource, resources: ids.map((id) => ({ resourceID: id, health: health(id) })) };
		});
	}

	/** What is to be done for a container that starts now; its plugins are told. */
	async starting(pod: Pod, container: Container, signal: AbortSignal): Promise<GivenDevices> {
		const held = this.held(uidOf(pod), container.name);
		if (held.size === 0) return NO_DEVICES;
		for (const [resource, { ids }] of held) {
			const plugin = this.#known.get(resource)?.plugin;
			if (plugin?.options.preStartRequired === true)
				await this.#call(`PreStartContainer of ${resource}`, signal, (until) => preStart(plugin, ids, until));
		}
		return givenBy([...held.values()].map(({ response }) => response));
	}

	concerns(pod: Pod): boolean {
		return inOrder(pod).some((container) => this.#wanted(pod, container).length > 0);
	}

	hints(pod: Pod, container: Container): Hints {
		return Object.fromEntries(
			this.#wanted(pod, container).map(({ resource, known, count }) => {
				const held = this.held(uidOf(pod), container.name).get(resource)?.ids;
				if (held !== undefined) return [resource, held.length === count ? this.#hints(known, held, [], count) : []];
				return [resource, this.#hints(known, this.#free(resource, known), this.#reusable(pod, container, resource), count)];
			}),
		);
	}

	podHints(pod: Pod): Hints {
		const names = new Set(inOrder(pod).flatMap((container) => this.#wanted(pod, container).map(({ resource }) => resource)));
		return Object.fromEntries(
			[...names].map((resource) => {
				const known = this.#known.get(resource) ?? new KnownResource([], 0);
				const count = podAmount(pod, (container) => this.#wanted(pod, container).find((w) => w.resource === resource)?.count ?? 0);
				const held = [...new Set([...this.#held.of(uidOf(pod)).values()].flatMap((devices) => devices.get(resource)?.ids ?? []))];
				if (held.length === 0) return [resource, this.#hints(known, this.#free(resource, known), [], count)];
				return [resource, held.length === count ? this.#hints(known, held, [], count) : []];
			}),
		);
	}

	async give(pod: Pod, container: Container, hint: Hint, signal: AbortSignal): Promise<void> {
		for (const { resource, known, count } of this.#wanted(pod, container)) {
			const before = this.held(uidOf(pod), container.name);
			const held = before.get(resource)?.ids;
			if (held !== undefined) {
				checkHeld(resource, known, held, count, `pod "${uidOf(pod)}" container "${container.name}"`);
				continue;
			}
			if (known.healthy.length === 0) throw noneHealthy(resource);
			const free = this.#free(resource, known).flatMap((id) => known.get(id) ?? []);
			const reusable = this.#reusable(pod, container, resource);
			const { plugin } = known;
			const prefer = (available: readonly string[], fixed: readonly string[]): Promise<readonly string[]> =>
				this.#call(`GetPreferredAllocation of ${resource}`, signal, (until) => preferred(plugin, available, fixed, count, until));
			const ids = await chooseDevices({ resource, count, reusable, free, nodes: hint.nodes }, prefer);
			const response = await this.#allocate(resource, plugin, ids, signal);
			const devices = new Map([...before, [resource, { ids, byNode: byNode(known, ids), response }]]);
			this.#held.set(uidOf(pod), container.name, devices);
			this.#saver.changed();
		}
	}

	takeBack(uid: string): void {
		if (this.#held.delete(uid)) this.#saver.changed();
	}

	holders(): readonly string[] {
		return this.#held.holders();
	}

	saved(): Promise<void> {
		return this.#saver.saved();
	}

	get #state(): DeviceState {
		const registered = [...this.#known].map(([resource, { devices }]) => [resource, devices.map(({ id }) => id)] as const);
		return { held: this.#held, registered: new Map(registered) };
	}

	async #listen(plugin: DevicePlugin, known: KnownResource): Promise<void> {
		const { clock, signal } = this.#given;
		try {
			for await (const response of plugin.client.listAndWatch({}, { signal })) {
				known.told(plugin, devicesIn(response));
				this.#saver.changed();
				this.#tell(plugin.resource);
			}
		} finally {
			known.went(plugin, clock.now());
			if (!signal.aborted) this.#tell(plugin.resource);
		}
	}

	/** Devices of the resource have changed: the node has others to give, and pods others that are well. */
	#tell(resource: string): void {
		this.#given.changed();
		for (const uid of this.#held.holders())
			if ([...this.#held.of(uid).values()].some((devices) => devices.has(resource))) this.#given.wake(uid);
	}

	async #allocate(
		resource: string,
		plugin: DevicePlugin | undefined,
		ids: readonly string[],
		signal: AbortSignal,
	): Promise<HeldDevices['response']> {
		const { clock, figures } = this.#given;
		if (plugin === undefined) throw new AppError('Unavailable', `unknown Device Plugin ${resource}`);
		const from = clock.monotonic();
		const { containerResponses } = await this.#call(`Allocate of ${resource}`, signal, (until) =>
			plugin.client.allocate({ containerRequests: [{ devicesIds: [...ids] }] }, { signal: until }),
		).finally(() => figures.deviceAllocation.observe({ resource_name: resource }, (clock.monotonic() - from) / 1000));
		const [response] = containerResponses;
		if (response === undefined) throw new AppError('Internal', `no containers return in allocation response for ${resource}`);
		return response;
	}

	async #call<T>(what: string, signal: AbortSignal, call: (until: AbortSignal) => Promise<T>): Promise<T> {
		using deadline = withDeadline(this.#given.clock, CALL_MS, what, signal);
		return await call(deadline.signal);
	}

	#wanted(
		pod: Pod,
		{ name, resources }: Container,
	): readonly { readonly resource: string; readonly known: KnownResource; readonly count: number }[] {
		return Object.entries(resources?.limits ?? {}).flatMap(([resource, quantity]) => {
			const known = this.#known.get(resource);
			const count = amountOf(quantity);
			return known === undefined || count === 0 || isOfClaim(pod, name, resource) ? [] : [{ resource, known, count }];
		});
	}

	/** Healthy and nobody's. */
	#free(resource: string, known: KnownResource): readonly string[] {
		const used = new Set(this.#held.all().flatMap((devices) => devices.get(resource)?.ids ?? []));
		return known.healthy.flatMap(({ id }) => (used.has(id) ? [] : [id]));
	}

	/** Of this pod's init containers, which end before the container begins. */
	#reusable(pod: Pod, container: Container, resource: string): readonly string[] {
		const free = new Set<string>();
		for (const other of inOrder(pod)) {
			if (other.name === container.name) break;
			for (const id of this.held(uidOf(pod), other.name).get(resource)?.ids ?? [])
				if (endsFirst(pod, other)) free.add(id);
				else free.delete(id);
		}
		return [...free];
	}

	/** Undefined where no device says which nodes it is near to. */
	#hints(known: KnownResource, free: readonly string[], reusable: readonly string[], count: number): readonly Hint[] | undefined {
		if (known.devices.every(({ nodes }) => nodes.length === 0)) return undefined;
		const near = (mask: Mask) => (device: Device | undefined) => device?.nodes.some((node) => has(mask, node)) === true;
		const within = (ids: readonly string[], mask: Mask): number => ids.map((id) => known.get(id)).filter(near(mask)).length;
		const usable = [...new Set([...free, ...reusable])];
		const all = this.#given.masks.reduce((union, mask) => union | mask, 0);
		const there = maskOf(known.devices.flatMap(({ nodes }) => nodes)) & all;
		return hintsOf(
			// Of the nodes that have any: others would only widen what is told.
			there === 0 ? this.#given.masks : this.#given.masks.filter((mask) => (mask & ~there) === 0),
			sizeOf,
			(mask) => known.devices.filter(near(mask)).length >= count,
			(mask) => within(reusable, mask) === reusable.length && within(usable, mask) >= count,
		);
	}
}

/** After a restart a container has what it had, unless that is not to be had any more. */
function checkHeld(resource: string, known: KnownResource, held: readonly string[], count: number, who: string): void {
	const fault = (why: string): AppError => new AppError('FailedPrecondition', why);
	if (held.length !== count) throw fault(`${who} changed request for resource "${resource}" from ${held.length} to ${count}`);
	if (known.healthy.length === 0) throw noneHealthy(resource);
	if (held.some((id) => known.get(id)?.healthy !== true))
		throw fault(`previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`);
}

function noneHealthy(resource: string): AppError {
	return new AppError('FailedPrecondition', `no healthy devices present; cannot allocate unhealthy devices ${resource}`);
}

function byNode(known: KnownResource, ids: readonly string[]): ReadonlyMap<number, readonly string[]> {
	const pairs = ids.flatMap((id) => {
		const nodes = known.get(id)?.nodes ?? [];
		return (nodes.length === 0 ? [-1] : nodes).map((node) => ({ node, id }));
	});
	return new Map([...Map.groupBy(pairs, ({ node }) => node)].map(([node, group]) => [node, group.map(({ id }) => id)]));
}
