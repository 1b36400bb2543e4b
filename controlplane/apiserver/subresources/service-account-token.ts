/** serviceaccounts/token: signs a token for an account, bound to a pod, secret or node if asked (TokenRequest). */
import { invalidValue } from '../../../api/field-error.ts';
import type { ServiceAccount, TokenRequest } from '../../../api/gen/types.ts';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { badRequest, conflict, invalid, notFound } from '../../../api/status.ts';
import { timeOf } from '../../../api/time.ts';
import type { TokenLife } from '../authn/authentication.ts';
import type { KubernetesClaim } from '../authn/service-account-claims.ts';
import type { ServiceAccountTokens } from '../authn/service-account-tokens.ts';
import { checkPathName } from '../request/path-name.ts';
import type { ApiRequest, ApiResponse, ObjectReader, SubresourceHandler } from '../contracts.ts';
import type { BodyCodec } from '../request/body-codec.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly codec: BodyCodec;
	readonly tokens: ServiceAccountTokens;
	/** Audiences of a token that asks for none. */
	readonly audiences: readonly string[];
	readonly life: TokenLife;
}

const KIND = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
const DEFAULT_SECONDS = 3600;
/** Tokens the admission plugin mounts ask for this life; they really live a year and only warn after it, for clients that never read them again. */
const WARN_AFTER_SECONDS = 3607;
const YEAR_SECONDS = 365 * 24 * 3600;

export function serviceAccountToken(deps: Deps): SubresourceHandler {
	return { group: '', resource: 'serviceaccounts', subresource: 'token', handle: (request, target) => issue(deps, request, target) };
}

async function issue(deps: Deps, request: ApiRequest, target: { readonly namespace: string; readonly name: string }): Promise<ApiResponse> {
	const { objects, codec, tokens, life } = deps;
	const account = (): ServiceAccount => {
		checkPathName(target.name);
		const found = objects.get(SERVICE_ACCOUNTS, `${target.namespace}/${target.name}`);
		if (found === undefined) throw notFound(SERVICE_ACCOUNTS, target.name);
		return found;
	};
	const asked = await codec.read<TokenRequest>(request, KIND, (read) => complete(read, target.name, account, deps));
	const { spec = { audiences: [] } } = asked;
	const { expirationSeconds: wanted = DEFAULT_SECONDS, audiences = deps.audiences } = spec;
	const bound = bindTo(objects, asked, account());
	const seconds = Math.min(wanted, life.maxSeconds ?? wanted);
	if (seconds < wanted) request.warn(`requested expiration of ${wanted} seconds shortened to ${seconds} seconds`);
	const extended =
		life.isExtended && bound.pod !== undefined && seconds === WARN_AFTER_SECONDS && audiences.every((a) => deps.audiences.includes(a));
	const claim: KubernetesClaim = extended ? { ...bound, warnafter: tokens.nowSeconds() + WARN_AFTER_SECONDS } : bound;
	const { token, expires, id } = await tokens.sign(claim, audiences, extended ? YEAR_SECONDS : seconds);
	request.audit?.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${id}`);
	return codec.write(request, 201, {
		kind: 'TokenRequest',
		apiVersion: 'authentication.k8s.io/v1',
		metadata: asked.metadata,
		spec: { audiences: [...audiences], expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
		status: {
			token,
			expirationTimestamp: timeOf(expires - (extended ? (YEAR_SECONDS - seconds) * 1000 : 0)),
		},
	});
}

/** Whom the token is for, and whom it must be meant for: StatusErrors where that cannot be. */
function complete(asked: TokenRequest, name: string, account: () => ServiceAccount, { audiences, tokens }: Deps): void {
	checkName(asked, name);
	const { metadata } = account();
	checkUid(asked, account());
	const seconds = asked.spec?.expirationSeconds ?? DEFAULT_SECONDS;
	checkSeconds(seconds);
	const created = timeOf(tokens.nowSeconds() * 1000);
	const own = { name, namespace: metadata.namespace, uid: metadata.uid, creationTimestamp: created };
	// Each stands where it comes first.
	asked.metadata = { ...own, ...asked.metadata, ...own };
	const given = asked.spec?.audiences ?? [];
	asked.spec = { ...asked.spec, audiences: given.length > 0 ? given : [...audiences], expirationSeconds: seconds };
}

function checkName(asked: TokenRequest, name: string): void {
	const given = asked.metadata?.name ?? '';
	if (given !== '' && given !== name)
		throw invalid(KIND, name, [invalidValue('metadata.name', given, 'must match the service account name if specified')]);
}

function checkUid(asked: TokenRequest, { metadata: { name = '', uid = '' } }: ServiceAccount): void {
	const given = asked.metadata?.uid ?? '';
	if (given !== '' && given !== uid)
		throw conflict(
			{ group: KIND.group, plural: KIND.kind },
			name,
			`the UID in the token request (${given}) does not match the UID of the service account (${uid})`,
		);
}

function checkSeconds(seconds: number): void {
	const detail =
		seconds < MIN_SECONDS
			? 'may not specify a duration less than 10 minutes'
			: seconds > MAX_SECONDS
				? 'may not specify a duration larger than 2^32 seconds'
				: '';
	if (detail !== '') throw invalid(KIND, '', [invalidValue('spec.expirationSeconds', seconds, detail)]);
}

function bindTo(objects: ObjectReader, asked: TokenRequest, account: ServiceAccount): KubernetesClaim {
	const namespace = account.metadata.namespace ?? '';
	const claim: KubernetesClaim = { namespace, serviceaccount: { name: account.metadata.name ?? '', uid: account.metadata.uid ?? '' } };
	const ref = asked.spec?.boundObjectRef;
	if (ref === undefined || ref === null) return claim;
	const name = ref.name ?? '';
	const found = <T extends KubeObject>(resource: Resource<T>, key: string, check: (object: T) => void = () => {}): T => {
		checkPathName(name);
		const object = objects.get(resource, key);
		if (object === undefined) throw notFound(resource, name);
		check(object);
		const uid = ref.uid ?? '';
		if (uid !== '' && uid !== object.metadata.uid)
			throw conflict(
				{ group: resource.group, plural: resource.kind },
				name,
				`the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
			);
		return object;
	};
	const self = (object: KubeObject) => ({ name, uid: object.metadata.uid ?? '' });
	const { apiVersion = '', kind = '' } = ref;
	// Any version of the core group, none included.
	switch (groupOf(apiVersion) === '' ? kind : '') {
		case 'Pod': {
			const pod = found(PODS, `${namespace}/${name}`, ({ spec }) => {
				if (spec?.serviceAccountName === account.metadata.name) return;
				const why = 'to pod running with different serviceaccount name.';
				throw badRequest(`cannot bind token for serviceaccount "${account.metadata.name}" ${why}`);
			});
			const nodeName = pod.spec?.nodeName ?? '';
			const node = nodeName === '' ? undefined : { name: nodeName, uid: objects.get(NODES, nodeName)?.metadata.uid ?? '' };
			return { ...claim, pod: self(pod), ...(node === undefined ? {} : { node }) };
		}
		case 'Secret':
			return { ...claim, secret: self(found(SECRETS, `${namespace}/${name}`)) };
		case 'Node':
			return { ...claim, node: self(found(NODES, name)) };
		default:
			throw badRequest(`cannot bind token to object of type ${goKind(apiVersion, kind)}`);
	}
}

/** What is no version at all has no group, as upstream's parser leaves both empty. */
function groupOf(apiVersion: string): string {
	const parts = apiVersion.split('/');
	return parts.length === 2 ? (parts[0] as string) : '';
}

/** "group/version, Kind=K" as Go prints a GroupVersionKind; the core group is empty. */
function goKind(apiVersion: string, kind: string): string {
	const parts = apiVersion.split('/');
	const version = parts.length > 2 ? '/' : parts.length === 2 ? apiVersion : `/${apiVersion}`;
	return `${version}, Kind=${kind}`;
}
