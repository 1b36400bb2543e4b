/** An audit event in one line of text, upstream's format "legacy" (EventString). Pure. */
import { goQuote } from '../../../api/go-quote.ts';
import type { AuditEvent } from './event.ts';

export const AUDIT_FORMATS = ['json', 'legacy'] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

/** Without the end of the line. */
export function legacyLine(event: AuditEvent): string {
	const { user, impersonatedUser: other, objectRef, responseStatus, sourceIPs = [] } = event;
	const { username = '', groups = [] } = user;
	const namespace = objectRef?.namespace ?? '';
	const code = (responseStatus as { readonly code?: number } | undefined)?.code ?? 0;
	return [
		`${event.requestReceivedTimestamp.replace(/\.?0*Z$/, 'Z')} AUDIT:`,
		`id=${goQuote(event.auditID)}`,
		`stage=${goQuote(event.stage)}`,
		`ip=${goQuote(sourceIPs[0] ?? '<unknown>')}`,
		`method=${goQuote(event.verb)}`,
		`user=${goQuote(username === '' ? '<none>' : username)}`,
		`groups=${goQuote(username === '' || groups.length === 0 ? '<none>' : quoted(groups))}`,
		`as=${goQuote(other === undefined ? '<self>' : (other.username ?? ''))}`,
		`asgroups=${goQuote(other?.groups === undefined ? '<lookup>' : quoted(other.groups))}`,
		`user-agent=${goQuote(event.userAgent ?? '')}`,
		`namespace=${goQuote(namespace === '' ? '<none>' : namespace)}`,
		`uri=${goQuote(event.requestURI)}`,
		`response="${responseStatus === undefined ? '<deferred>' : code}"`,
	].join(' ');
}

const quoted = (texts: readonly string[]): string => texts.map(goQuote).join(',');
