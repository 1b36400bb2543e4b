/** What a service-account token is bound to must still be there, and be the very objects; else the token is good no more (upstream's pkg/serviceaccount). */
import type { Secret, ServiceAccount } from '../../../api/gen/types.ts';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';
import type { ObjectReader } from '../contracts.ts';
import type { KubernetesClaim } from './service-account-claims.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly clock: Clock;
}

/** How far clocks may be apart (go-jose's DefaultLeeway): so long tokens outlive their end and the objects they are bound to. */
export const LEEWAY_MS = 60_000;
const INVALIDATED = 'service account token has been invalidated';

export class BoundObjects {
	readonly #deps: Deps;

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Of a token from TokenRequest. AppError Unauthenticated says why it is not good. */
	check({ namespace, serviceaccount: { name, uid }, pod, secret, node }: KubernetesClaim): void {
		const account = this.#account(namespace, name);
		const own = account.metadata.uid ?? '';
		if (own !== uid) throw unauthenticated(`service account UID (${own}) does not match claim (${uid})`);
		if (this.#isGone(account)) throw unauthenticated(`service account ${namespace}/${name} has been deleted`);
		if (secret !== undefined) this.#alive(SECRETS, `${namespace}/${secret.name}`, secret.uid, 'secret');
		if (pod !== undefined) this.#alive(PODS, `${namespace}/${pod.name}`, pod.uid, 'pod');
		else if (node !== undefined) this.#alive(NODES, node.name, node.uid, 'node');
	}

	/** Of a secret's token: the secret and the account. AppError Unauthenticated says why it is not good. */
	ofSecret(
		{ namespace, serviceaccount: { name, uid }, secret }: KubernetesClaim,
		token: string,
	): { readonly secret: Secret; readonly account: ServiceAccount } {
		const stored = this.#deps.objects.get(SECRETS, `${namespace}/${secret?.name ?? ''}`);
		if (stored === undefined || stored.metadata.deletionTimestamp !== undefined) throw unauthenticated('Token has been invalidated');
		const copy = Buffer.from(stored.data?.['token'] ?? '', 'base64').toString();
		if (copy !== token) throw unauthenticated("Token does not match server's copy");
		const account = this.#account(namespace, name);
		const { deletionTimestamp, uid: own = '' } = account.metadata;
		if (deletionTimestamp !== undefined) throw unauthenticated(`ServiceAccount ${namespace}/${name} has been deleted`);
		if (own !== uid) throw unauthenticated(`ServiceAccount UID (${own}) does not match claim (${uid})`);
		return { secret: stored, account };
	}

	#account(namespace: string, name: string): ServiceAccount {
		// Upstream asks itself by a path, which takes a name and a namespace.
		if (name === '') throw unauthenticated('resource name may not be empty');
		if (namespace === '') throw unauthenticated('the server could not find the requested resource');
		const account = this.#deps.objects.get(SERVICE_ACCOUNTS, `${namespace}/${name}`);
		if (account === undefined) throw unauthenticated(`serviceaccounts ${JSON.stringify(name)} not found`);
		return account;
	}

	/** @param kind as messages name it */
	#alive(resource: Resource<KubeObject>, key: string, uid: string, kind: string): void {
		const object = this.#deps.objects.get(resource, key);
		if (object === undefined) throw unauthenticated(INVALIDATED);
		const own = object.metadata.uid ?? '';
		if (own !== uid) throw unauthenticated(`${kind} UID (${own}) does not match service account ${kind} ref claim (${uid})`);
		if (this.#isGone(object)) throw unauthenticated(INVALIDATED);
	}

	#isGone({ metadata: { deletionTimestamp: deleted } }: KubeObject): boolean {
		return typeof deleted === 'string' && Date.parse(deleted) + LEEWAY_MS < this.#deps.clock.now();
	}
}

/** Why a token is not good. */
export function unauthenticated(message: string, cause?: unknown): AppError {
	return new AppError('Unauthenticated', message, cause === undefined ? {} : { cause });
}
