/** Audit events (audit.k8s.io/v1), as they are written down. */
import type { Level, Stage } from './policy.ts';

export interface AuditUser {
	readonly username?: string;
	readonly uid?: string;
	readonly groups?: readonly string[];
	readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface ObjectReference {
	readonly resource?: string;
	readonly namespace?: string;
	readonly name?: string;
	readonly uid?: string;
	readonly apiGroup?: string;
	readonly apiVersion?: string;
	readonly resourceVersion?: string;
	readonly subresource?: string;
}

export interface AuditEvent {
	readonly kind: 'Event';
	readonly apiVersion: 'audit.k8s.io/v1';
	readonly level: Level;
	readonly auditID: string;
	readonly stage: Stage;
	readonly requestURI: string;
	readonly verb: string;
	readonly user: AuditUser;
	readonly impersonatedUser?: AuditUser;
	readonly authenticationMetadata?: { readonly impersonationConstraint: string };
	readonly sourceIPs?: readonly string[];
	readonly userAgent?: string;
	readonly objectRef?: ObjectReference;
	readonly responseStatus?: object;
	readonly requestObject?: unknown;
	readonly responseObject?: unknown;
	readonly requestReceivedTimestamp: string;
	readonly stageTimestamp: string;
	readonly annotations?: Readonly<Record<string, string>>;
}

/** Where events go. */
export interface AuditBackend {
	readonly name: string;
	/** False: it is lost and the request is to be refused. Where an event may be lost the backend tells of that itself. */
	take(event: AuditEvent): boolean | Promise<boolean>;
	/** Writes what is still held. */
	close(): Promise<void>;
}

/** A copy without `metadata.managedFields`, of an object, a list's items or a table's rows. */
export function withoutManagedFields(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	const { metadata, items, rows, ...rest } = value as { metadata?: { managedFields?: unknown }; items?: unknown; rows?: unknown };
	const { managedFields: _, ...kept } = metadata ?? {};
	return {
		...rest,
		...(metadata === undefined ? {} : { metadata: kept }),
		...(items === undefined ? {} : { items: Array.isArray(items) ? items.map(withoutManagedFields) : items }),
		...(rows === undefined
			? {}
			: {
					rows: Array.isArray(rows)
						? rows.map((row: { object?: unknown }) => ({ ...row, object: withoutManagedFields(row.object) }))
						: rows,
				}),
	};
}
