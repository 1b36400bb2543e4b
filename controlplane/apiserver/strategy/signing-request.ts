/** CertificateSigningRequests: of whom they are, and what each subresource says of them. */
import type {
	CertificateSigningRequest,
	CertificateSigningRequestCondition,
	CertificateSigningRequestSpec,
} from '../../../api/gen/types.ts';
import { fieldsAt, type Draft, type Strategy, type Writer } from './strategy.ts';

export const signingRequest: Strategy = {
	status: ['status'],
	ownFieldLabels: true,
	fields: fieldsAt('spec.signerName'),
	prepareForCreate(object, _now, { user }) {
		const { spec } = object as unknown as CertificateSigningRequest;
		const { username: _username, uid: _uid, groups: _groups, extra: _extra, ...asked } = spec;
		object['spec'] = { ...asked, ...identity(user) };
	},
	prepareForUpdate(object, old) {
		object['spec'] = old['spec'];
	},
	prepareForStatusUpdate(object, old, now) {
		for (const type of ['Approved', 'Denied']) keepConditions(object, old, type);
		timed(object, old, now);
	},
	prepareForApproval: (object, old, now) => timed(object, old, now),
};

/** Who asks is what the server knows of them, never what the request says. */
function identity({ name, uid, groups, extra }: Writer['user']): Partial<CertificateSigningRequestSpec> {
	const more = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
	return {
		username: name,
		...(uid === '' ? {} : { uid }),
		groups: [...groups],
		...(more.length === 0 ? {} : { extra: Object.fromEntries(more) }),
	};
}

function conditionsOf(object: Draft): readonly CertificateSigningRequestCondition[] {
	return (object as unknown as CertificateSigningRequest).status?.conditions ?? [];
}

function setConditions(object: Draft, conditions: readonly CertificateSigningRequestCondition[]): void {
	const { status } = object as unknown as CertificateSigningRequest;
	if (status?.conditions !== undefined) object['status'] = { ...status, conditions: [...conditions] };
}

/** As many conditions of the type as before stay as they were; another number is for validation to refuse. */
function keepConditions(object: Draft, old: Draft, type: string): void {
	const before = conditionsOf(old).filter((c) => c.type === type);
	const now = conditionsOf(object);
	if (now.filter((c) => c.type === type).length !== before.length) return;
	let at = 0;
	setConditions(
		object,
		now.map((c) => (c.type === type ? (before[at++] ?? c) : c)),
	);
}

/** Conditions without times get them: the time of the change is that of before where type and status are the same. */
function timed(object: Draft, old: Draft, now: string): void {
	const before = conditionsOf(old);
	const conditions = conditionsOf(object).map((condition) => {
		const same = before.find((c) => c.type === condition.type && c.status === condition.status && (c.lastTransitionTime ?? null) !== null);
		return {
			...condition,
			lastUpdateTime: condition.lastUpdateTime ?? now,
			lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? now,
		};
	});
	setConditions(object, conditions);
}
