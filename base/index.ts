/** What programs on this package need to run on, as the package exports it ("kubeling/base"): clocks, errors, log, metrics, services. */
export { realClock, type Clock } from './clock.ts';
export { VirtualClock } from './virtual-clock.ts';
export { AppError, codeOf, ignore, messageOf, type ErrorCode } from './errors.ts';
export { createLog, noLog, type Fields, type Log, type LogLevel, type LogOptions } from './log.ts';
export { createMetrics, type Registry } from './metrics.ts';
export { runServices, type Service, type ServiceGroupEvents } from './service.ts';
