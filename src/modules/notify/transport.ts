/** Hands one mail to the server of a collection. The library is loaded with the first mail. */
import { connect } from 'node:net';
import { readSecretFile } from '../../core/config/secret-file.ts';
import { TIMEOUT } from '../../core/durations.ts';
import { ServiceError } from '../../core/errors.ts';
import type {} from './codes.ts';
import type { SmtpConfig } from './configuration.ts';

type Mail = {
  readonly to: string;
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Ends mail to the address by one POST (RFC 8058). */
  readonly unsubscribe?: string;
};

type Sending = {
  readonly smtp: SmtpConfig;
  /** The store directory. */
  readonly root: string;
  /** What the sender is called beside its address. */
  readonly name: string;
  /** Ends the connection when the service stops. */
  readonly signal: AbortSignal;
};

/** `refused`: the server never delivers to the address; `deferred`: it may later. */
export type Outcome =
  | { readonly state: 'sent' }
  | { readonly state: 'refused' | 'deferred'; readonly reason: string };

const PORTS = { starttls: 587, implicit: 465, none: 25 } as const;
const LONGEST_REASON = 200;

/** Hosts to which a password may be sent without TLS. */
const OF_THIS_MACHINE = ['localhost', '127.0.0.1', '::1'];

/** @throws ServiceError `mail_unavailable` if the server cannot be used for any mail */
export async function send(mail: Mail, { smtp, root, name, signal }: Sending): Promise<Outcome> {
  const { host, port, tls = 'starttls', user, from } = smtp;
  const pass = await passwordOf(smtp, root);
  if (tls === 'none' && pass !== undefined && !OF_THIS_MACHINE.includes(host))
    throw new ServiceError('mail_unavailable', `smtp: no password is sent to '${host}' without TLS.`);
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port: port ?? PORTS[tls],
    secure: tls === 'implicit',
    tls: { servername: host },
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(user !== undefined && pass !== undefined && { auth: { user, pass } }),
    greetingTimeout: TIMEOUT.mail,
    socketTimeout: TIMEOUT.mail,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket(options, callback) {
      const socket = connect({ host, port: Number(options.port), signal, timeout: TIMEOUT.mail });
      socket.once('timeout', () => socket.destroy(new Error(`no connection within ${TIMEOUT.mail} ms`)));
      socket.once('error', callback);
      socket.once('connect', () => {
        socket.off('error', callback).removeAllListeners('timeout').setTimeout(0);
        callback(null, { connection: socket });
      });
    },
  });
  const { unsubscribe, ...content } = mail;
  try {
    await transport.sendMail({
      ...content,
      from: { name, address: from },
      headers: {
        // No answers of vacations (RFC 3834, 5).
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribe !== undefined && {
          'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
      },
    });
    return { state: 'sent' };
  } catch (error) {
    return outcomeOf(error as SmtpError);
  } finally {
    transport.close();
  }
}

async function passwordOf(smtp: SmtpConfig, root: string): Promise<string | undefined> {
  const { password, password_file: file } = smtp;
  if (file === undefined) return password;
  return readSecretFile(root, file, { key: 'smtp.password_file', code: 'mail_unavailable' });
}

/** What the library says of a failure; `response` is what the server has said. */
type SmtpError = Error & {
  readonly response?: string;
  readonly responseCode?: number;
  readonly command?: string;
};

/** Only answers about the address, or to the mail itself, are about this one. */
function outcomeOf(error: SmtpError): Outcome {
  const { responseCode = 0, command = '' } = error;
  const reason = reasonOf(error);
  const isOfMail = (command === 'RCPT TO' || command === 'DATA') && responseCode >= 400;
  if (!isOfMail) throw new ServiceError('mail_unavailable', `smtp: ${reason}.`);
  return { state: responseCode >= 500 ? 'refused' : 'deferred', reason };
}

/** Quotes nothing that a server has said: administrators choose the host, and may not read its other ports through the service. */
function reasonOf({ message, response, responseCode, command }: SmtpError): string {
  if (response === undefined) return message.replace(/\p{Cc}+/gu, ' ').slice(0, LONGEST_REASON);
  return `the server answered ${responseCode ?? 'without a status'} to ${command ?? 'the connection'}`;
}
