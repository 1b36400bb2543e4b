/** What is wrong with the mappings from claims to a user, in upstream's words (pkg/apis/apiserver/validation). Pure. */
import { childrenOf, OP, type Expr } from '../../../../api/cel/ast.ts';
import { duplicate, invalidValue, required, type FieldError } from '../../../../api/field-error.ts';
import { domainPrefixedPath } from '../../../../api/validation/names.ts';
import { claimProgram, expressionFault } from './expressions.ts';
import type { JwtAuthenticator, PrefixedClaim } from './jwt-authenticator.ts';

const BOTH = "claim and expression can't both be set";
const UNVERIFIED =
	'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';

/** @param rules those of claims, which may ask whether an address is verified */
export function claimMappingFaults(
	mappings: JwtAuthenticator['claimMappings'],
	rules: NonNullable<JwtAuthenticator['claimValidationRules']>,
	path: string,
): FieldError[] {
	const { username = {}, groups = {}, uid = {}, extra = [] } = mappings;
	const out = [...claimFaults(username, `${path}.username`, true), ...claimFaults(groups, `${path}.groups`, false)];
	const { claim = '', expression = '' } = uid;
	if (claim !== '' && expression !== '') out.push(invalidValue(`${path}.uid`, '', BOTH));
	else if (expression !== '') out.push(...mapped(expression, `${path}.uid.expression`));
	extra.forEach(({ key = '', valueExpression = '' }: Partial<(typeof extra)[number]>, i) => {
		const at = `${path}.extra[${i}]`;
		out.push(...keyFaults(key, `${at}.key`));
		if (extra.findIndex((other) => other.key === key) < i) out.push(duplicate(`${at}.key`, key));
		else if (valueExpression === '') out.push(required(`${at}.valueExpression`));
		else out.push(...mapped(valueExpression, `${at}.valueExpression`));
	});
	const name = username.expression ?? '';
	const others = [...extra.map((one) => one.valueExpression), ...rules.map((rule) => rule.expression ?? '')];
	if (uses(name, 'email') && ![name, ...others].some((source) => uses(source, 'email_verified')))
		out.push(invalidValue(`${path}.username.expression`, name, UNVERIFIED));
	return out;
}

const mapped = (expression: string, at: string): FieldError[] => expressionFault(() => claimProgram(expression), at, expression, false);

function claimFaults({ claim = '', expression = '', prefix }: PrefixedClaim, at: string, isRequired: boolean): FieldError[] {
	if (expression !== '' && claim !== '') return [invalidValue(at, '', BOTH)];
	if (expression !== '') {
		const out = prefix === undefined ? [] : [invalidValue(`${at}.prefix`, prefix, 'may not be specified when expression is set')];
		return [...out, ...mapped(expression, `${at}.expression`)];
	}
	if (claim === '') return isRequired ? [required(at, 'claim or expression is required')] : [];
	if (prefix !== undefined) return [];
	return [required(`${at}.prefix`, 'prefix is required when claim is set. It can be set to an empty string to disable prefixing')];
}

/** Others may not speak for Kubernetes: its own keys say what a credential is. */
function keyFaults(key: string, at: string): FieldError[] {
	const out = key === '' ? [required(at)] : domainPrefixedPath(key).map((why) => invalidValue(at, key, why));
	if (key !== key.toLowerCase()) out.push(invalidValue(at, key, 'must be lowercase'));
	const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
	if (/(^|\.)(kubernetes|k8s)\.io$/.test(domain))
		out.push(invalidValue(at, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'));
	return out;
}

/** Whether the expression takes this claim, `claims.x` or `claims.?x`; one that does not compile takes none. */
function uses(source: string, claim: string): boolean {
	if (source === '') return false;
	try {
		return selects(claimProgram(source).expr, claim);
	} catch {
		return false;
	}
}

function selects(expr: Expr, claim: string): boolean {
	if (expr.type === 'select' && isClaims(expr.operand) && expr.field === claim) return true;
	if (expr.type === 'call' && expr.fn === OP.optionalSelect) {
		const [of, field] = expr.args;
		if (of !== undefined && isClaims(of) && field?.type === 'const' && field.value === claim) return true;
	}
	return childrenOf(expr).some((inner) => selects(inner, claim));
}

const isClaims = (expr: Expr): boolean => expr.type === 'ident' && expr.name === 'claims';
