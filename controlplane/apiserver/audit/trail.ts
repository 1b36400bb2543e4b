/** What one request leaves in the audit log: gathered on its way through, written down at its stages. */
import type { KubeObject } from '../../../api/resource.ts';
import type { Status } from '../../../api/gen/types.ts';
import { microTimeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ApiRequest, Attributes, AuditTrail, UserInfo } from '../contracts.ts';
import type { AuditEvent, AuditUser, ObjectReference } from './event.ts';
import { Latencies } from './latencies.ts';
import type { LatencyLayer } from './latency-layer.ts';
import { includes, type Level, type Stage, type Verdict } from './policy.ts';
import { sourceIps } from './source-ips.ts';
import { userAgentOf } from './user-agent.ts';
import { written } from './written.ts';

export class Trail implements AuditTrail {
	readonly verdict: Verdict;
	readonly #clock: Clock;
	readonly #write: (event: AuditEvent) => boolean | Promise<boolean>;
	readonly #request: ApiRequest;
	readonly #auditId: string;
	readonly #asked: Attributes;
	readonly #receivedAt: string;
	readonly #annotations: Record<string, string> = {};
	readonly #latencies = new Latencies();
	#objectRef: ObjectReference | undefined;
	#impersonated: AuditUser | undefined;
	#constraint: string | undefined;
	#requestObject: unknown;
	#responseObject: unknown;
	#status: Partial<Status> | undefined;

	constructor(
		verdict: Verdict,
		request: ApiRequest,
		auditId: string,
		asked: Attributes,
		clock: Clock,
		write: (event: AuditEvent) => boolean | Promise<boolean>,
	) {
		this.verdict = verdict;
		this.#request = request;
		this.#auditId = auditId;
		this.#asked = asked;
		this.#clock = clock;
		this.#write = write;
		this.#receivedAt = microTimeOf(clock.now());
		if (asked.type === 'resource') this.#objectRef = referenceOf(asked);
	}

	/** The first value of a key stays. */
	annotate(key: string, value: string, level: Level = 'Metadata'): void {
		if (includes(this.verdict.level, level) && !Object.hasOwn(this.#annotations, key)) this.#annotations[key] = value;
	}

	took(layer: LatencyLayer, ms: number): void {
		this.#latencies.took(layer, ms);
	}

	timed<T>(layer: LatencyLayer, work: () => T): T {
		const started = this.#clock.monotonic();
		try {
			return work();
		} finally {
			this.#latencies.took(layer, this.#clock.monotonic() - started);
		}
	}

	get clock(): Clock {
		return this.#clock;
	}

	/** The request is over; one that lasted by its nature was not slow. */
	lasted(totalMs: number): void {
		if (this.#asked.verb !== 'watch') for (const [key, value] of this.#latencies.notes(totalMs)) this.annotate(key, value);
	}

	/** @param constraint the verb that allows it; undefined: the old one */
	impersonates(user: UserInfo, constraint: string | undefined): void {
		this.#impersonated = userOf(user);
		this.#constraint = constraint;
	}

	/** What was sent, decoded; taken as it is now. */
	object(object: object): void {
		const { metadata } = object as Partial<KubeObject>;
		const { name, namespace, uid, resourceVersion } = metadata ?? {};
		this.#objectRef = inOrder({ ...present({ name, namespace, uid, resourceVersion }), ...this.#objectRef });
		if (includes(this.verdict.level, 'Request')) this.#requestObject = this.#kept(object);
	}

	/** A patch, as JSON. */
	patch(patch: unknown): void {
		if (includes(this.verdict.level, 'Request')) this.#requestObject = patch;
	}

	get wantsResponse(): boolean {
		return includes(this.verdict.level, 'RequestResponse');
	}

	response(object: object): void {
		this.#responseObject = this.#kept(object);
	}

	/** @param failure the Status that says why not */
	answered(code: number, failure?: Status): void {
		const { kind: _k, apiVersion: _a, metadata: _m, ...status } = failure ?? {};
		this.#status = { metadata: {}, ...status, code };
	}

	stage(stage: Stage): boolean | Promise<boolean> {
		if (this.verdict.omitStages.includes(stage)) return true;
		const request = this.#request;
		const userAgent = userAgentOf(request);
		return this.#write({
			kind: 'Event',
			apiVersion: 'audit.k8s.io/v1',
			level: this.verdict.level,
			auditID: this.#auditId,
			stage,
			requestURI: request.uri ?? request.path,
			verb: this.#asked.verb,
			user: userOf(this.#asked.user),
			...(this.#impersonated === undefined ? {} : { impersonatedUser: this.#impersonated }),
			...(this.#constraint === undefined ? {} : { authenticationMetadata: { impersonationConstraint: this.#constraint } }),
			sourceIPs: sourceIps(request),
			...(userAgent === undefined ? {} : { userAgent }),
			...(this.#objectRef === undefined ? {} : { objectRef: this.#objectRef }),
			...(this.#status === undefined ? {} : { responseStatus: this.#status }),
			...(this.#requestObject === undefined ? {} : { requestObject: this.#requestObject }),
			...(this.#responseObject === undefined ? {} : { responseObject: this.#responseObject }),
			requestReceivedTimestamp: this.#receivedAt,
			stageTimestamp: stage === 'RequestReceived' ? this.#receivedAt : microTimeOf(this.#clock.now()),
			...(Object.keys(this.#annotations).length === 0 ? {} : { annotations: byName(this.#annotations) }),
		});
	}

	/** A stage that refuses nobody. Resolves once it is written down; undefined: nobody has to wait for that. */
	note(stage: Stage): Promise<unknown> | undefined {
		const taken = this.stage(stage);
		// What was lost has been counted and said.
		return taken instanceof Promise ? taken.catch(() => undefined) : undefined;
	}

	#kept(object: object): unknown {
		return written(object, this.verdict.omitManagedFields);
	}
}

function referenceOf(asked: Attributes & { readonly type: 'resource' }): ObjectReference {
	const { resource, namespace, name, group, version, subresource } = asked;
	return present({ resource, namespace, name, apiGroup: group, apiVersion: version, subresource });
}

/** As upstream writes it. */
function inOrder({ resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource }: ObjectReference): ObjectReference {
	return present({ resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource });
}

function present(fields: Readonly<Record<string, string | undefined>>): ObjectReference {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));
}

function userOf({ name, uid, groups, extra }: UserInfo): AuditUser {
	return {
		...(name === '' ? {} : { username: name }),
		...(uid === '' ? {} : { uid }),
		...(groups.length === 0 ? {} : { groups }),
		...(Object.keys(extra).length === 0 ? {} : { extra: byName(extra) }),
	};
}

/** As Go writes its maps. */
function byName<T>(map: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
	return Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
