/** What is wrong with one issuer of an AuthenticationConfiguration, in upstream's words (pkg/apis/apiserver/validation). Pure. */
import { X509Certificate } from 'node:crypto';
import { duplicate, invalidValue, required, type FieldError } from '../../../../api/field-error.ts';
import type { JwtAuthenticator, JwtIssuer } from './jwt-authenticator.ts';
import { claimMappingFaults } from './mapping-faults.ts';
import { claimProgram, expressionFault, userProgram } from './expressions.ts';

export function authenticatorFaults(authenticator: JwtAuthenticator, path: string): FieldError[] {
	const { issuer, claimValidationRules = [], claimMappings, userValidationRules = [] } = authenticator;
	return [
		...issuerFaults(issuer, `${path}.issuer`),
		...claimRuleFaults(claimValidationRules, `${path}.claimValidationRules`),
		...claimMappingFaults(claimMappings, claimValidationRules, `${path}.claimMappings`),
		...userRuleFaults(userValidationRules, `${path}.userValidationRules`),
	];
}

function issuerFaults(issuer: JwtIssuer, path: string): FieldError[] {
	const {
		url = '',
		discoveryURL = '',
		audiences = [],
		audienceMatchPolicy = '',
		certificateAuthority = '',
		egressSelectorType = '',
	} = issuer;
	const out: FieldError[] = url === '' ? [required(`${path}.url`)] : urlFaults(url, `${path}.url`);
	if (discoveryURL !== '') {
		const at = `${path}.discoveryURL`;
		const bare = (given: string): string => given.replace(/\/+$/, '');
		if (url !== '' && bare(url) === bare(discoveryURL)) out.push(invalidValue(at, discoveryURL, 'discoveryURL must be different from URL'));
		out.push(...urlFaults(discoveryURL, at));
	}
	const at = `${path}.audiences`;
	if (audiences.length === 0) out.push(required(at, `at least one ${at} is required`));
	audiences.forEach((audience, i) => {
		if (audience === '') out.push(required(`${at}[${i}]`));
		if (audiences.indexOf(audience) < i) out.push(duplicate(`${at}[${i}]`, audience));
	});
	const policy = `${path}.audienceMatchPolicy`;
	if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny')
		out.push(invalidValue(policy, audienceMatchPolicy, 'audienceMatchPolicy must be MatchAny for multiple audiences'));
	if (audiences.length === 1 && audienceMatchPolicy !== '' && audienceMatchPolicy !== 'MatchAny')
		out.push(invalidValue(policy, audienceMatchPolicy, 'audienceMatchPolicy must be empty or MatchAny for single audience'));
	if (certificateAuthority !== '' && !hasCertificate(certificateAuthority))
		out.push(invalidValue(`${path}.certificateAuthority`, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates'));
	if (!['', 'controlplane', 'cluster'].includes(egressSelectorType))
		out.push(invalidValue(`${path}.egressSelectorType`, egressSelectorType, 'egress selector must be either controlplane or cluster'));
	return out;
}

function hasCertificate(pem: string): boolean {
	try {
		return new X509Certificate(pem).subject !== undefined;
	} catch {
		return false;
	}
}

function urlFaults(given: string, at: string): FieldError[] {
	const url = URL.parse(given);
	const wrong = [
		[url?.protocol !== 'https:', 'URL scheme must be https'],
		[url !== null && (url.username !== '' || url.password !== ''), 'URL must not contain a username or password'],
		[url !== null && url.search !== '', 'URL must not contain a query'],
		[url !== null && url.hash !== '', 'URL must not contain a fragment'],
	] as const;
	return wrong.filter(([is]) => is).map(([, why]) => invalidValue(at, given, why));
}

function claimRuleFaults(rules: NonNullable<JwtAuthenticator['claimValidationRules']>, path: string): FieldError[] {
	const claims = new Set<string>();
	const expressions = new Set<string>();
	return rules.flatMap(({ claim = '', requiredValue = '', expression = '', message = '' }, i): FieldError[] => {
		const at = `${path}[${i}]`;
		if (claim !== '' && expression !== '') return [invalidValue(at, claim, "claim and expression can't both be set")];
		if (claim === '' && expression === '') return [required(at, 'claim or expression is required')];
		if (claim !== '') {
			const out = message === '' ? [] : [invalidValue(`${at}.message`, message, 'may not be specified when claim is set')];
			if (claims.has(claim)) out.push(duplicate(`${at}.claim`, claim));
			claims.add(claim);
			return out;
		}
		const out =
			requiredValue === '' ? [] : [invalidValue(`${at}.requiredValue`, requiredValue, 'may not be specified when expression is set')];
		if (expressions.has(expression)) return [...out, duplicate(`${at}.expression`, expression)];
		expressions.add(expression);
		return [...out, ...expressionFault(() => claimProgram(expression), `${at}.expression`, expression, true)];
	});
}

function userRuleFaults(rules: NonNullable<JwtAuthenticator['userValidationRules']>, path: string): FieldError[] {
	return rules.flatMap(({ expression = '' }: { readonly expression?: string }, i): FieldError[] => {
		const at = `${path}[${i}].expression`;
		if (expression === '') return [required(at)];
		if (rules.findIndex((other) => other.expression === expression) < i) return [duplicate(at, expression)];
		return expressionFault(() => userProgram(expression), at, expression, true);
	});
}
