/** The expressions of a JWT authenticator: over the claims, and over the user that was made of them. */
import { DYN, listOf, mapOf, objectOf, STRING, type Type } from '../../../../api/cel/types.ts';
import { compile, environment, RUNTIME_BUDGET, type Program } from '../../../../api/cel/environment.ts';
import { Budget } from '../../../../api/cel/runs.ts';
import { fromJson, toJson } from '../../../../api/cel/json.ts';
import { unescaping } from '../../../../api/cel/unescaping.ts';
import { invalidValue, type FieldError } from '../../../../api/field-error.ts';
import { AppError, messageOf } from '../../../../base/errors.ts';
import type { UserInfo } from '../../contracts.ts';
import type { JwtAuthenticator } from './jwt-authenticator.ts';

const USER = objectOf('kubernetes.UserInfo', {
	username: STRING,
	uid: STRING,
	groups: listOf(STRING),
	extra: mapOf(STRING, listOf(STRING)),
});
const CLAIMS = environment({ variables: { claims: mapOf(STRING, DYN) } });
const USERS = environment({ variables: { user: USER } });

type Claims = Readonly<Record<string, unknown>>;

export interface Mappings {
	readonly username: ((claims: Claims) => unknown) | undefined;
	readonly groups: ((claims: Claims) => unknown) | undefined;
	readonly uid: ((claims: Claims) => unknown) | undefined;
	readonly extra: readonly { readonly key: string; readonly expression: string; readonly value: (claims: Claims) => unknown }[];
	readonly claimRules: readonly Rule<Claims>[];
	readonly userRules: readonly Rule<UserInfo>[];
}

export interface Rule<T> {
	readonly expression: string;
	readonly message: string;
	readonly holds: (subject: T) => unknown;
}

/** AppError InvalidArgument for what does not compile. */
export function compileMappings({ claimMappings, claimValidationRules = [], userValidationRules = [] }: JwtAuthenticator): Mappings {
	const { username, groups, uid, extra = [] } = claimMappings ?? {};
	const optional = (source: string | undefined): Mappings['uid'] => (source === undefined || source === '' ? undefined : ofClaims(source));
	return {
		username: optional(username?.expression),
		groups: optional(groups?.expression),
		uid: optional(uid?.expression),
		extra: extra.map(({ key, valueExpression: expression }) => ({ key, expression, value: ofClaims(expression) })),
		claimRules: claimValidationRules.flatMap(({ expression = '', message = '' }) =>
			expression === '' ? [] : [{ expression, message, holds: ofClaims(expression) }],
		),
		userRules: userValidationRules.map(({ expression, message = '' }) => ({ expression, message, holds: ofUser(expression) })),
	};
}

/** AppError InvalidArgument. */
export const claimProgram = (source: string): Program => compiled(CLAIMS, source);
export const userProgram = (source: string): Program => compiled(USERS, source);

/** Why an expression cannot be taken; a condition must say yes or no. */
export function expressionFault(make: () => Program, at: string, source: string, isCondition: boolean): FieldError[] {
	try {
		const { type } = make();
		return isCondition && type.kind !== 'bool' ? [invalidValue(at, source, 'must evaluate to bool')] : [];
	} catch (error) {
		return [invalidValue(at, source, `compilation failed: ${messageOf((error as Error).cause ?? error)}`)];
	}
}

function ofClaims(source: string): (claims: Claims) => unknown {
	const program = compiled(CLAIMS, source);
	return (claims) => run(program, source, 'claims', claims, mapOf(STRING, DYN));
}

function ofUser(source: string): (user: UserInfo) => unknown {
	const program = compiled(USERS, source);
	return ({ name, uid, groups, extra }) => run(program, source, 'user', { username: name, uid, groups, extra }, USER);
}

function compiled(env: Parameters<typeof compile>[0], source: string): Program {
	try {
		return compile(env, source);
	} catch (cause) {
		throw new AppError('InvalidArgument', `${JSON.stringify(source)}: ${messageOf(cause)}`, { cause });
	}
}

function run(program: Program, source: string, name: string, subject: unknown, type: Type): unknown {
	const value = unescaping(fromJson(subject, type));
	try {
		return toJson(program.evaluate((asked) => (asked === name ? value : undefined), new Budget(RUNTIME_BUDGET)));
	} catch (cause) {
		throw new Error(`expression '${source}' resulted in error: ${messageOf(cause)}`, { cause });
	}
}
