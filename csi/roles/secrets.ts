/** Secrets that a class names for calls of its driver: references by templates, as external-provisioner resolves them, and their data. */
import type { Secret, SecretReference } from '../../api/gen/types.ts';
import { SECRETS } from '../../api/resources.ts';
import { dnsLabel, dnsSubdomain } from '../../api/validation/names.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';

/** Parameters of these names are for the sidecars, not for drivers. */
export const RESERVED = 'csi.storage.k8s.io/';

export interface SecretParameters {
	/** In messages. */
	readonly name: string;
	readonly keys: readonly [name: string, namespace: string];
	/** Before the reserved names there were others, which drivers are told. */
	readonly old?: readonly [name: string, namespace: string];
}

type Parameters = Readonly<Record<string, string>>;

/** "csi.storage.k8s.io/node-stage-secret-name" and its namespace. */
export function secretKeys(name: string, call: string, old?: readonly [string, string]): SecretParameters {
	const begin = `${RESERVED}${call === '' ? '' : `${call}-`}secret`;
	return { name, keys: [`${begin}-name`, `${begin}-namespace`], ...(old === undefined ? {} : { old }) };
}

export const DEFAULT_SECRET = secretKeys('Default', '');

function templates({ name, keys, old = ['', ''] }: SecretParameters, parameters: Parameters): readonly [string, string] | undefined {
	const found = ([0, 1] as const).map((i) => [parameters[old[i]], parameters[keys[i]]].filter((value) => value !== undefined));
	const [names = [], namespaces = []] = found;
	if (names.length > 1 || namespaces.length > 1)
		throw new AppError('InvalidArgument', `${name} secrets specified in parameters with both "csi" and "${RESERVED}" keys`);
	if (names.length !== namespaces.length)
		throw new AppError('InvalidArgument', `either name and namespace for ${name} secrets specified, Both must be specified`);
	const [[secret], [namespace]] = [names, namespaces];
	if (secret === undefined || namespace === undefined) return undefined;
	if (secret === '' || namespace === '')
		throw new AppError('InvalidArgument', `${name} secrets specified in parameters but value of either namespace or name is empty`);
	return [secret, namespace];
}

/** What templates may name: of a claim "pvc.name", "pvc.namespace", "pvc.annotations['x']", of its volume "pv.name". */
export interface Tokens {
	readonly name: Parameters;
	/** Not under the control of those who make claims. */
	readonly namespace: Parameters;
}

/** The reference for one call, else the class's default one, else none. */
export function secretReference(call: SecretParameters, parameters: Parameters, tokens: Tokens): SecretReference | undefined {
	const found = templates(call, parameters) ?? (call === DEFAULT_SECRET ? undefined : templates(DEFAULT_SECRET, parameters));
	if (found === undefined) return undefined;
	const [nameTemplate, namespaceTemplate] = found;
	const namespace = resolved(namespaceTemplate, tokens.namespace, 'namespace name', (text) => dnsLabel(text).length === 0);
	return { name: resolved(nameTemplate, tokens.name, 'secret name', (text) => dnsSubdomain(text).length === 0), namespace };
}

/** As Go's os.Expand. */
const TOKEN = /\$\{([^}]*)\}|\$([A-Za-z0-9_]+)/g;

function resolved(template: string, tokens: Parameters, what: string, valid: (text: string) => boolean): string {
	const missing: string[] = [];
	const text = template.replaceAll(TOKEN, (_all, braced: string | undefined, bare: string | undefined) => {
		const token = braced ?? bare ?? '';
		if (!Object.hasOwn(tokens, token)) missing.push(token);
		return tokens[token] ?? '';
	});
	if (missing.length > 0)
		throw new AppError(
			'InvalidArgument',
			`error resolving value ${JSON.stringify(template)}: invalid tokens: [${missing
				.toSorted()
				.map((token) => JSON.stringify(token))
				.join(' ')}]`,
		);
	if (valid(text)) return text;
	const from = template === text ? JSON.stringify(text) : `${JSON.stringify(template)} resolved to ${JSON.stringify(text)} which`;
	throw new AppError('InvalidArgument', `${from} is not a valid ${what}`);
}

/** The secret's data as text; nothing without a reference. */
export async function credentials(
	client: Client,
	reference: SecretReference | undefined,
	signal: AbortSignal,
): Promise<Record<string, string>> {
	if (reference === undefined) return {};
	const { name = '', namespace = '' } = reference;
	let secret: Secret;
	try {
		secret = await client.get(SECRETS, `${namespace}/${name}`, { signal });
	} catch (cause) {
		throw new AppError('Unavailable', `error getting secret ${name} in namespace ${namespace}: ${messageOf(cause)}`, { cause });
	}
	return Object.fromEntries(Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}
