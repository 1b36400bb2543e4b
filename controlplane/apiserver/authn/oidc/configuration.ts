/** How tokens of other issuers are believed: upstream's AuthenticationConfiguration (apiserver.config.k8s.io/v1), read and checked. Pure. */
import { parse } from 'yaml';
import { AppError, messageOf } from '../../../../base/errors.ts';
import { compileMappings } from './expressions.ts';
import type { JwtAuthenticator } from './jwt-authenticator.ts';

export interface AnonymousOptions {
	readonly enabled: boolean;
	/** Only these paths; absent or empty: all. */
	readonly conditions?: readonly { readonly path: string }[];
}

export interface AuthenticationConfiguration {
	readonly jwt?: readonly JwtAuthenticator[];
	readonly anonymous?: AnonymousOptions;
}

const VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1', 'apiserver.config.k8s.io/v1alpha1'];

/** AppError InvalidArgument names every fault. */
export function parseAuthenticationConfiguration(text: string, source: string): AuthenticationConfiguration {
	let value: (AuthenticationConfiguration & { readonly apiVersion?: string; readonly kind?: string }) | null;
	try {
		value = parse(text) as typeof value;
	} catch (cause) {
		throw new AppError('InvalidArgument', `Cannot read the authentication configuration "${source}": ${messageOf(cause)}`, { cause });
	}
	const faults =
		value === null || !VERSIONS.includes(value.apiVersion ?? '') || value.kind !== 'AuthenticationConfiguration'
			? ['it is no apiserver.config.k8s.io/v1 AuthenticationConfiguration']
			: faultsOf(value);
	if (faults.length > 0)
		throw new AppError('InvalidArgument', `The authentication configuration "${source}" is wrong: ${faults.join('; ')}`);
	return value ?? {};
}

function faultsOf({ jwt = [], anonymous }: AuthenticationConfiguration): readonly string[] {
	const faults = jwt.flatMap((one, i) => jwtFaults(one, `jwt[${i}]`));
	const urls = jwt.map((one) => one.issuer?.url);
	for (const [i, url] of urls.entries())
		if (urls.indexOf(url) !== i) faults.push(`jwt[${i}].issuer.url: Duplicate value: ${JSON.stringify(url)}`);
	if (anonymous !== undefined && !anonymous.enabled && (anonymous.conditions ?? []).length > 0)
		faults.push('anonymous.conditions: Invalid value: enabled should be set to true when conditions are defined');
	return faults;
}

export function jwtFaults(jwt: JwtAuthenticator, path: string): string[] {
	const faults: string[] = [];
	const { issuer, claimMappings } = jwt;
	if (issuer?.url === undefined || issuer.url === '') faults.push(`${path}.issuer.url: Required value: URL is required`);
	else if (!issuer.url.startsWith('https://'))
		faults.push(`${path}.issuer.url: Invalid value: ${JSON.stringify(issuer.url)}: URL scheme must be https`);
	if ((issuer?.audiences ?? []).length === 0) faults.push(`${path}.issuer.audiences: Required value: at least one audience is required`);
	else if (issuer.audiences.length > 1 && issuer.audienceMatchPolicy !== 'MatchAny')
		faults.push(`${path}.issuer.audienceMatchPolicy: must be MatchAny for multiple audiences`);
	const username = claimMappings?.username;
	if ((username?.claim ?? '') === '' && (username?.expression ?? '') === '')
		faults.push(`${path}.claimMappings.username: Required value: claim or expression is required`);
	for (const [name, mapping] of Object.entries({ username, groups: claimMappings?.groups })) {
		const { claim = '', expression = '', prefix } = mapping ?? {};
		const at = `${path}.claimMappings.${name}`;
		if (claim !== '' && expression !== '') faults.push(`${at}: Invalid value: claim and expression can't both be set`);
		if (claim !== '' && prefix === undefined)
			faults.push(
				`${at}.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
			);
		if (expression !== '' && prefix !== undefined) faults.push(`${at}.prefix: Invalid value: prefix can't be set when expression is set`);
	}
	try {
		compileMappings(jwt);
	} catch (error) {
		faults.push(`${path}: ${messageOf(error)}`);
	}
	return faults;
}
