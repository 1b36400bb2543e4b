/** Dynamic resources of pods: their claims are prepared by the drivers before the pod starts, and unprepared after its last container (upstream cm/dra). */
import type { Container, Pod, ResourceHealth, ResourceResourceClaim, ResourceStatus } from '../../api/gen/types.ts';
import { isClaimOf, isReservedFor, podClaimsOf } from '../../api/pod/resource-claims.ts';
import { RESOURCE_CLAIMS } from '../../api/resources.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { InTurn } from '../../base/in-turn.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { RpcError } from '../../wire/grpc/status.ts';
import { uidOf } from '../pod/uid.ts';
import { Saver } from '../saver.ts';
import { extendedClaimOf, extendedRequestsOf } from './extended.ts';
import type { DeviceHealth } from './health.ts';
import type { DraPlugins } from './plugins.ts';
import { readClaims, writeClaims, type PreparedClaim, type PreparedDevice } from './state.ts';

/** Upstream's, of a call to a driver. */
const CALL_MS = 45_000;

export interface DynamicClaimsOptions {
	readonly rootDir: string;
	readonly bootId: string;
	readonly client: Client;
	readonly plugins: DraPlugins;
	readonly log: Log;
	/** Unknown of all devices when absent. */
	readonly health?: Pick<DeviceHealth, 'of'>;
}

export class DynamicClaims {
	readonly #given: DynamicClaimsOptions;
	readonly #claims: Map<string, PreparedClaim>;
	/** By claim. Pods may share one: it is prepared by one of them. */
	readonly #turns = new InTurn();
	readonly #saver: Saver;
	readonly #waiting = new Set<string>();

	constructor(given: DynamicClaimsOptions, claims: Map<string, PreparedClaim>) {
		this.#given = given;
		this.#claims = claims;
		this.#saver = new Saver(
			() => writeClaims(given.rootDir, given.bootId, claims),
			() => {}, // who waits for it is told
		);
	}

	static async open(given: DynamicClaimsOptions): Promise<DynamicClaims> {
		return new DynamicClaims(given, await readClaims(given.rootDir, given.bootId));
	}

	/** Pods that could not be prepared; each once. */
	takeWaiting(): readonly string[] {
		const waiting = [...this.#waiting];
		this.#waiting.clear();
		return waiting;
	}

	/** Done once all of the pod's claims are prepared; throws what keeps one from it. */
	async prepare(pod: Pod, signal: AbortSignal): Promise<void> {
		this.#waiting.add(uidOf(pod));
		await this.#prepareAll(pod, signal);
		this.#waiting.delete(uidOf(pod));
	}

	/** Whether something is to be undone for the pod. */
	has(uid: string): boolean {
		return this.#waiting.has(uid) || this.#of(uid).length > 0;
	}

	/** The drivers of each claim that pods have. */
	inUse(): readonly (readonly string[])[] {
		return [...this.#claims.values()].map(({ drivers }) => drivers);
	}

	/** After the pod's last container, and before its status says that it has ended. Idempotent. */
	async unprepare(uid: string, signal: AbortSignal): Promise<void> {
		this.#waiting.delete(uid);
		for (const [key] of this.#of(uid)) await this.#turns.run(key, () => this.#unprepareOne(key, uid, signal));
	}

	/** Unprepares what pods have that came and went while the agent was away. */
	async keep(known: (uid: string) => boolean, signal: AbortSignal): Promise<void> {
		const gone = new Set([...this.#claims.values()].flatMap(({ pods }) => pods).filter((uid) => !known(uid)));
		const unprepared = [...gone].map((uid) =>
			this.unprepare(uid, signal).catch((error: unknown) =>
				this.#given.log.warn('claims of a pod that is gone are not unprepared', { uid, reason: messageOf(error) }),
			),
		);
		await Promise.all(unprepared);
	}

	/** What the Container Device Interface is to add to a container. */
	cdiOf(pod: Pod, container: Container): readonly string[] {
		return [...new Set(this.devicesOf(pod, container).flatMap(({ devices }) => devices.flatMap(({ cdi }) => cdi)))];
	}

	/** The claims that a container names, and that of its extended resources; of their devices those of the requests that it names. */
	devicesOf(pod: Pod, container: Container): readonly { readonly claim: PreparedClaim; readonly devices: readonly PreparedDevice[] }[] {
		const named = podClaimsOf(pod).map(({ spec, name }) => {
			const uses = (container.resources?.claims ?? []).filter((use) => use.name === spec.name);
			return { name, wanted: uses.map(({ request = '' }) => request) };
		});
		return [...named, { name: extendedClaimOf(pod), wanted: extendedRequestsOf(pod, container) }].flatMap(({ name, wanted }) => {
			const claim = this.#claims.get(`${pod.metadata.namespace ?? ''}/${name ?? ''}`);
			if (wanted.length === 0 || claim === undefined) return [];
			const all = claim.devices ?? [];
			const devices = all.filter(({ requests }) =>
				wanted.some((request) => request === '' || requests.length === 0 || requests.includes(request)),
			);
			return [{ claim, devices }];
		});
	}

	/** How what a container has is, each name once: of a driver that says nothing of that nothing is known. */
	healthOf(pod: Pod, container: Container): readonly ResourceStatus[] {
		return (container.resources?.claims ?? []).flatMap((use) => {
			const devices = this.devicesOf(pod, { ...container, resources: { claims: [use] } }).flatMap((held) => held.devices);
			const resources = new Map<string, ResourceHealth>();
			for (const { driver, pool, device, cdi } of devices) {
				const resourceID = cdi[0] ?? `${driver}/${pool}/${device}`;
				const health = this.#given.health?.of(driver, pool, device) ?? { health: 'Unknown' };
				if (!resources.has(resourceID)) resources.set(resourceID, { resourceID, ...health });
			}
			const name = (use.request ?? '') === '' ? `claim:${use.name}` : `claim:${use.name}/${use.request}`;
			return resources.size === 0 ? [] : [{ name, resources: [...resources.values()] }];
		});
	}

	/** @param devices of the driver, as "pool/device" */
	podsWith(driver: string, devices: ReadonlySet<string>): ReadonlySet<string> {
		const has = (claim: PreparedClaim): boolean =>
			claim.devices?.some((held) => held.driver === driver && devices.has(`${held.pool}/${held.device}`)) === true;
		return new Set([...this.#claims.values()].filter(has).flatMap(({ pods }) => pods));
	}

	async #prepareAll(pod: Pod, signal: AbortSignal): Promise<void> {
		const wanted = podClaimsOf(pod);
		const { namespace = '', name = '' } = pod.metadata;
		for (const { spec, name: claim, own, awaited } of wanted) {
			if (awaited) throw new AppError('Unavailable', `pod "${namespace}/${name}": ResourceClaim for "${spec.name}" not created yet`);
			if (claim !== undefined) await this.#prepareInTurn(pod, `${namespace}/${claim}`, own, signal);
		}
		const extended = extendedClaimOf(pod);
		if (extended !== undefined) await this.#prepareInTurn(pod, `${namespace}/${extended}`, false, signal);
	}

	#prepareInTurn(pod: Pod, key: string, own: boolean, signal: AbortSignal): Promise<void> {
		return this.#turns.run(key, () => this.#prepareOne(pod, key, own, signal));
	}

	#of(uid: string): readonly (readonly [string, PreparedClaim])[] {
		return [...this.#claims].filter(([, { pods }]) => pods.includes(uid));
	}

	async #prepareOne(pod: Pod, key: string, own: boolean, signal: AbortSignal): Promise<void> {
		const { client } = this.#given;
		const before = this.#claims.get(key);
		if (before?.devices !== undefined && before.pods.includes(uidOf(pod))) return this.#saver.saved();
		const claim = await client.get(RESOURCE_CLAIMS, key, { signal });
		check(pod, claim, own);
		const { namespace = '', name = '', uid = '' } = claim.metadata;
		if (before !== undefined && before.uid !== uid)
			throw new AppError(
				'FailedPrecondition',
				`old ResourceClaim with same name ${name} and different UID ${before.uid} still exists (previous pod force-deleted?!)`,
			);
		const drivers = [...new Set((claim.status?.allocation?.devices?.results ?? []).map(({ driver }) => driver))];
		// Before anything is held: with a driver that is not there nothing is begun, and nothing keeps the pod from going.
		for (const driver of drivers) this.#given.plugins.get(driver);
		const pods = [...new Set([...(before?.pods ?? []), uidOf(pod)])];
		const known: PreparedClaim = { namespace, name, uid, drivers, pods, devices: before?.devices };
		// Written down first: what a driver has begun must be undone by whoever comes after.
		await this.#record(key, known);
		if (known.devices !== undefined) return;
		const devices = (await Promise.all(drivers.map((driver) => this.#prepareBy(driver, known, signal)))).flat();
		await this.#record(key, { ...known, devices });
	}

	/** Resolves once it is on disk. */
	#record(key: string, claim: PreparedClaim | undefined): Promise<void> {
		if (claim === undefined) this.#claims.delete(key);
		else this.#claims.set(key, claim);
		this.#saver.changed();
		return this.#saver.saved();
	}

	async #prepareBy(driver: string, claim: PreparedClaim, signal: AbortSignal): Promise<readonly PreparedDevice[]> {
		const { namespace, name, uid } = claim;
		const { claims } = await asked(
			'NodePrepareResources',
			this.#given.plugins.get(driver).nodePrepareResources({ claims: [{ namespace, name, uid }] }, { timeoutMs: CALL_MS, signal }),
		);
		const answer = answerFor('NodePrepareResources', claims, claim);
		return answer.devices.map(({ poolName: pool, deviceName: device, requestNames: requests, cdiDeviceIds: cdi, shareId }) => ({
			...{ driver, pool, device, requests, cdi },
			...(shareId === undefined ? {} : { shareId }),
		}));
	}

	async #unprepareOne(key: string, pod: string, signal: AbortSignal): Promise<void> {
		const claim = this.#claims.get(key);
		if (claim === undefined || !claim.pods.includes(pod)) return;
		const pods = claim.pods.filter((other) => other !== pod);
		if (pods.length === 0) await this.#unprepareBy(claim, signal);
		await this.#record(key, pods.length === 0 ? undefined : { ...claim, pods });
	}

	async #unprepareBy(claim: PreparedClaim, signal: AbortSignal): Promise<void> {
		const { namespace, name, uid, drivers } = claim;
		for (const driver of drivers) {
			const { claims } = await asked(
				'NodeUnprepareResources',
				this.#given.plugins.get(driver).nodeUnprepareResources({ claims: [{ namespace, name, uid }] }, { timeoutMs: CALL_MS, signal }),
			);
			answerFor('NodeUnprepareResources', claims, claim);
		}
	}
}

function check(pod: Pod, claim: ResourceResourceClaim, own: boolean): void {
	const { name = '', namespace = '', uid = '' } = claim.metadata;
	const fault = (why: string): AppError => new AppError('FailedPrecondition', why);
	if (own && !isClaimOf(pod, claim))
		throw fault(`ResourceClaim ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name ?? ''} (pod is not owner)`);
	if (!isReservedFor(pod, claim))
		throw fault(`pod ${pod.metadata.name ?? ''} (${uidOf(pod)}) is not allowed to use ResourceClaim ${name} (${uid})`);
	if (claim.status?.allocation === undefined) throw fault(`ResourceClaim ${name}: not allocated`);
}

/** What a driver answers; of what it fails with upstream says which call it was. */
async function asked<T>(call: string, answer: Promise<T>): Promise<T> {
	return answer.catch((cause: unknown) => {
		throw cause instanceof RpcError ? new AppError(cause.code, `${call}: ${cause.message}`, { cause }) : cause;
	});
}

function answerFor<T extends { readonly error: string }>(
	call: string,
	claims: Readonly<Record<string, T>>,
	{ uid, name }: PreparedClaim,
): T {
	const answer = claims[uid];
	if (answer === undefined) throw new AppError('Internal', `${call} skipped 1 ResourceClaims`);
	if (answer.error !== '') throw new AppError('Internal', `${call} failed for ResourceClaim ${name}: ${answer.error}`);
	return answer;
}
