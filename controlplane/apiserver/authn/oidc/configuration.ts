/** How tokens of other issuers are believed: upstream's AuthenticationConfiguration (apiserver.config.k8s.io/v1), read and checked. Pure. */
import { AppError, messageOf } from '../../../../base/errors.ts';
import { duplicate, invalidValue, tooMany, type FieldError } from '../../../../api/field-error.ts';
import { parseYaml } from '../../../../base/parse-yaml.ts';
import { Shape } from '../../../../base/shape.ts';
import { authenticatorFaults } from './authenticator-faults.ts';
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

const MAX_ISSUERS = 64;

/** AppError InvalidArgument names every fault. */
export function parseAuthenticationConfiguration(text: string, source: string): AuthenticationConfiguration {
	let value: (AuthenticationConfiguration & { readonly apiVersion?: string; readonly kind?: string }) | null;
	try {
		value = parseYaml(text) as typeof value;
		if (isOurs(value)) checkFields(value);
	} catch (cause) {
		throw new AppError('InvalidArgument', `Cannot read the authentication configuration "${source}": ${messageOf(cause)}`, { cause });
	}
	const faults = isOurs(value) ? faultsOf(value) : ['it is no apiserver.config.k8s.io/v1 AuthenticationConfiguration'];
	if (faults.length > 0)
		throw new AppError('InvalidArgument', `The authentication configuration "${source}" is wrong: ${faults.join('; ')}`);
	return value ?? {};
}

type Given = { readonly apiVersion?: string; readonly kind?: string } & AuthenticationConfiguration;

function isOurs(value: Given | null): value is Given {
	return value !== null && VERSIONS.includes(value.apiVersion ?? '') && value.kind === 'AuthenticationConfiguration';
}

/** Read as strictly as upstream does: a rule under a misspelt name would let everybody in. */
function checkFields(value: Given): void {
	const root = new Shape(value, '');
	root.only('apiVersion', 'kind', 'jwt', 'anonymous');
	const anonymous = root.map('anonymous');
	anonymous.only('enabled', 'conditions');
	anonymous.bool('enabled');
	for (const condition of anonymous.list('conditions')) fields(condition, 'path');
	for (const jwt of root.list('jwt')) {
		jwt.only('issuer', 'claimValidationRules', 'claimMappings', 'userValidationRules');
		const issuer = jwt.map('issuer');
		issuer.only('url', 'discoveryURL', 'certificateAuthority', 'audiences', 'audienceMatchPolicy', 'egressSelectorType');
		for (const field of ['url', 'discoveryURL', 'certificateAuthority', 'audienceMatchPolicy', 'egressSelectorType']) issuer.text(field);
		issuer.texts('audiences');
		for (const rule of jwt.list('claimValidationRules')) fields(rule, 'claim', 'requiredValue', 'expression', 'message');
		const mappings = jwt.map('claimMappings');
		mappings.only('username', 'groups', 'uid', 'extra');
		for (const name of ['username', 'groups']) fields(mappings.map(name), 'claim', 'prefix', 'expression');
		fields(mappings.map('uid'), 'claim', 'expression');
		for (const extra of mappings.list('extra')) fields(extra, 'key', 'valueExpression');
		for (const rule of jwt.list('userValidationRules')) fields(rule, 'expression', 'message');
	}
}

/** Texts, and nothing beside them. */
function fields(shape: Shape, ...names: readonly string[]): void {
	shape.only(...names);
	for (const name of names) shape.text(name);
}

function faultsOf({ jwt, anonymous }: AuthenticationConfiguration): readonly string[] {
	const all = jwt ?? [];
	if (all.length > MAX_ISSUERS) return [texts(tooMany('jwt', all.length, MAX_ISSUERS))];
	const of = (one: JwtAuthenticator): Partial<JwtAuthenticator['issuer']> => one.issuer ?? {};
	const faults = all.flatMap((one, i) => {
		const out = authenticatorFaults({ ...one, issuer: one.issuer ?? {}, claimMappings: one.claimMappings ?? {} }, `jwt[${i}]`);
		for (const field of ['url', 'discoveryURL'] as const) {
			const value = of(one)[field];
			const isFirst = all.findIndex((other) => of(other)[field] === value) === i;
			if (!isFirst && (field === 'url' || (value ?? '') !== '')) out.push(duplicate(`jwt[${i}].issuer.${field}`, value ?? ''));
		}
		return out;
	});
	if (anonymous !== undefined && anonymous !== null && !anonymous.enabled && (anonymous.conditions ?? []).length > 0)
		faults.push(invalidValue('anonymous.conditions', anonymous.conditions, 'enabled should be set to true when conditions are defined'));
	return faults.map(texts);
}

const texts = ({ field, message }: FieldError): string => `${field}: ${message}`;
