/*
 * What callers need of the endpoints, events, profiles and closed lists of values. `npm run references` makes this file from their
 * declarations, so that the client and the operators' page need neither the schemas nor the library that checks them.
 */
import type { ProfileOutline } from './profiles/profile.ts';

export const ENDPOINT_OUTLINES = {
  "devices": {
    "silo": {
      "list": { "group": "silo", "method": "GET", "path": "/devices", "hasQuery": true, "isPage": true },
      "get": { "group": "silo", "method": "GET", "path": "/devices/{device_id}" },
      "register": { "group": "silo", "method": "POST", "path": "/devices", "hasBody": true, "hasIdempotencyKey": true },
      "update": { "group": "silo", "method": "PATCH", "path": "/devices/{device_id}", "hasBody": true },
      "maintenance": {
        "group": "silo",
        "method": "POST",
        "path": "/devices/{device_id}/maintenance",
        "hasBody": true,
        "hasIdempotencyKey": true
      },
      "remove": { "group": "silo", "method": "DELETE", "path": "/devices/{device_id}", "hasQuery": true },
      "restore": { "group": "silo", "method": "POST", "path": "/devices/{device_id}/restore", "hasIdempotencyKey": true },
      "renewCredentials": { "group": "silo", "method": "POST", "path": "/devices/{device_id}/credentials", "hasIdempotencyKey": true },
      "rejections": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/rejections" },
      "link": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/link" }
    },
    "field": {
      "list": { "group": "field", "method": "GET", "path": "/devices", "hasQuery": true, "isPage": true },
      "get": { "group": "field", "method": "GET", "path": "/devices/{device_id}" },
      "register": { "group": "field", "method": "POST", "path": "/devices", "hasBody": true, "hasIdempotencyKey": true },
      "update": { "group": "field", "method": "PATCH", "path": "/devices/{device_id}", "hasBody": true },
      "maintenance": {
        "group": "field",
        "method": "POST",
        "path": "/devices/{device_id}/maintenance",
        "hasBody": true,
        "hasIdempotencyKey": true
      },
      "remove": { "group": "field", "method": "DELETE", "path": "/devices/{device_id}", "hasQuery": true },
      "restore": { "group": "field", "method": "POST", "path": "/devices/{device_id}/restore", "hasIdempotencyKey": true },
      "renewCredentials": { "group": "field", "method": "POST", "path": "/devices/{device_id}/credentials", "hasIdempotencyKey": true },
      "rejections": { "group": "field", "method": "GET", "path": "/devices/{device_id}/rejections" },
      "link": { "group": "field", "method": "GET", "path": "/devices/{device_id}/link" }
    }
  },
  "telemetry": {
    "silo": {
      "current": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/sensors" },
      "history": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/sensors/history", "hasQuery": true },
      "send": {
        "group": "silo",
        "method": "POST",
        "path": "/devices/{device_id}/telemetry",
        "hasBody": true,
        "hasIdempotencyKey": true
      }
    },
    "field": {
      "location": { "group": "field", "method": "GET", "path": "/devices/{device_id}/location" },
      "environment": { "group": "field", "method": "GET", "path": "/devices/{device_id}/sensors/environmental" },
      "history": { "group": "field", "method": "GET", "path": "/devices/{device_id}/sensors/history", "hasQuery": true },
      "track": { "group": "field", "method": "GET", "path": "/devices/{device_id}/track", "hasQuery": true },
      "send": {
        "group": "field",
        "method": "POST",
        "path": "/devices/{device_id}/telemetry",
        "hasBody": true,
        "hasIdempotencyKey": true
      }
    }
  },
  "configuration": {
    "silo": {
      "get": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/config" },
      "update": { "group": "silo", "method": "PUT", "path": "/devices/{device_id}/config", "hasBody": true },
      "versions": {
        "group": "silo",
        "method": "GET",
        "path": "/devices/{device_id}/config/versions",
        "hasQuery": true,
        "isPage": true
      }
    },
    "field": {
      "get": { "group": "field", "method": "GET", "path": "/devices/{device_id}/config" },
      "update": { "group": "field", "method": "PUT", "path": "/devices/{device_id}/config", "hasBody": true },
      "versions": {
        "group": "field",
        "method": "GET",
        "path": "/devices/{device_id}/config/versions",
        "hasQuery": true,
        "isPage": true
      }
    }
  },
  "operations": {
    "feed": {
      "group": "silo",
      "method": "POST",
      "path": "/devices/{device_id}/operations/feed",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "discharge": {
      "group": "silo",
      "method": "POST",
      "path": "/devices/{device_id}/operations/discharge",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "get": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/operations/{operation_id}" },
    "stop": {
      "group": "silo",
      "method": "POST",
      "path": "/devices/{device_id}/operations/{operation_id}/stop",
      "isUrgent": true,
      "hasIdempotencyKey": true
    },
    "declareEnded": {
      "group": "silo",
      "method": "POST",
      "path": "/devices/{device_id}/operations/{operation_id}/declare-ended",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "plan": {
      "group": "silo",
      "method": "POST",
      "path": "/devices/{device_id}/operations/plan",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "trace": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/operations/{operation_id}/trace" },
    "list": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/operations", "hasQuery": true, "isPage": true }
  },
  "proposals": {
    "feed": {
      "group": "silo",
      "method": "POST",
      "path": "/devices/{device_id}/proposals/feed",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "discharge": {
      "group": "silo",
      "method": "POST",
      "path": "/devices/{device_id}/proposals/discharge",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "list": { "group": "api", "method": "GET", "path": "/proposals", "hasQuery": true, "isPage": true },
    "get": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/proposals/{proposal_id}" },
    "confirm": {
      "group": "silo",
      "method": "POST",
      "path": "/devices/{device_id}/proposals/{proposal_id}/confirm",
      "hasIdempotencyKey": true
    },
    "refuse": {
      "group": "silo",
      "method": "POST",
      "path": "/devices/{device_id}/proposals/{proposal_id}/refuse",
      "hasBody": true,
      "hasIdempotencyKey": true
    }
  },
  "commands": {
    "give": {
      "group": "field",
      "method": "POST",
      "path": "/devices/{device_id}/remote/command",
      "isUrgent": { "command": ["emergency_stop"] },
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "get": { "group": "field", "method": "GET", "path": "/devices/{device_id}/remote/commands/{command_id}" },
    "declareEnded": {
      "group": "field",
      "method": "POST",
      "path": "/devices/{device_id}/remote/commands/{command_id}/declare-ended",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "list": {
      "group": "field",
      "method": "GET",
      "path": "/devices/{device_id}/remote/commands",
      "hasQuery": true,
      "isPage": true
    }
  },
  "missions": {
    "create": {
      "group": "field",
      "method": "POST",
      "path": "/devices/{device_id}/missions",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "preflight": {
      "group": "field",
      "method": "POST",
      "path": "/devices/{device_id}/missions/preflight",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "get": { "group": "field", "method": "GET", "path": "/devices/{device_id}/missions/{mission_id}" },
    "cancel": {
      "group": "field",
      "method": "POST",
      "path": "/devices/{device_id}/missions/{mission_id}/cancel",
      "hasIdempotencyKey": true
    },
    "pause": {
      "group": "field",
      "method": "POST",
      "path": "/devices/{device_id}/missions/{mission_id}/pause",
      "hasIdempotencyKey": true
    },
    "resume": {
      "group": "field",
      "method": "POST",
      "path": "/devices/{device_id}/missions/{mission_id}/resume",
      "hasIdempotencyKey": true
    },
    "declareEnded": {
      "group": "field",
      "method": "POST",
      "path": "/devices/{device_id}/missions/{mission_id}/declare-ended",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "list": { "group": "field", "method": "GET", "path": "/devices/{device_id}/missions", "hasQuery": true, "isPage": true }
  },
  "alerts": {
    "silo": {
      "list": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/alerts", "hasQuery": true, "isPage": true },
      "get": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/alerts/{alert_id}" },
      "acknowledge": {
        "group": "silo",
        "method": "POST",
        "path": "/devices/{device_id}/alerts/{alert_id}/acknowledge",
        "hasBody": true,
        "hasIdempotencyKey": true
      },
      "shelve": {
        "group": "silo",
        "method": "POST",
        "path": "/devices/{device_id}/alerts/{alert_id}/shelve",
        "hasBody": true,
        "hasIdempotencyKey": true
      },
      "unshelve": {
        "group": "silo",
        "method": "POST",
        "path": "/devices/{device_id}/alerts/{alert_id}/unshelve",
        "hasIdempotencyKey": true
      }
    },
    "field": {
      "list": { "group": "field", "method": "GET", "path": "/devices/{device_id}/alerts", "hasQuery": true, "isPage": true },
      "get": { "group": "field", "method": "GET", "path": "/devices/{device_id}/alerts/{alert_id}" },
      "acknowledge": {
        "group": "field",
        "method": "POST",
        "path": "/devices/{device_id}/alerts/{alert_id}/acknowledge",
        "hasBody": true,
        "hasIdempotencyKey": true
      },
      "shelve": {
        "group": "field",
        "method": "POST",
        "path": "/devices/{device_id}/alerts/{alert_id}/shelve",
        "hasBody": true,
        "hasIdempotencyKey": true
      },
      "unshelve": {
        "group": "field",
        "method": "POST",
        "path": "/devices/{device_id}/alerts/{alert_id}/unshelve",
        "hasIdempotencyKey": true
      }
    }
  },
  "fleet": {
    "devices": { "group": "api", "method": "GET", "path": "/devices", "hasQuery": true, "isPage": true },
    "alerts": { "group": "api", "method": "GET", "path": "/alerts", "hasQuery": true, "isPage": true },
    "alertStatistics": { "group": "api", "method": "GET", "path": "/alerts/statistics", "hasQuery": true },
    "acknowledgeAlerts": { "group": "api", "method": "POST", "path": "/alerts/acknowledge", "hasBody": true, "hasIdempotencyKey": true },
    "operations": { "group": "api", "method": "GET", "path": "/operations", "hasQuery": true, "isPage": true },
    "missions": { "group": "api", "method": "GET", "path": "/missions", "hasQuery": true, "isPage": true },
    "commands": { "group": "api", "method": "GET", "path": "/commands", "hasQuery": true, "isPage": true },
    "overview": { "group": "api", "method": "GET", "path": "/overview" },
    "timeZones": { "group": "api", "method": "GET", "path": "/overview/time-zones" }
  },
  "bulk": {
    "change": {
      "group": "api",
      "method": "POST",
      "path": "/devices/change",
      "hasQuery": true,
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "importDevices": {
      "group": "api",
      "method": "POST",
      "path": "/devices/import",
      "hasQuery": true,
      "hasBody": true,
      "hasIdempotencyKey": true
    }
  },
  "foresight": {
    "forecast": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/forecast", "hasQuery": true },
    "forecasts": { "group": "api", "method": "GET", "path": "/forecasts", "hasQuery": true, "isPage": true },
    "refills": { "group": "api", "method": "GET", "path": "/refills", "hasQuery": true, "isPage": true },
    "changeRefill": { "group": "api", "method": "PATCH", "path": "/refills/{refill_id}", "hasBody": true },
    "planDelivery": {
      "group": "silo",
      "method": "POST",
      "path": "/devices/{device_id}/deliveries",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "cancelDelivery": { "group": "silo", "method": "DELETE", "path": "/devices/{device_id}/deliveries", "hasQuery": true },
    "orderList": { "group": "api", "method": "GET", "path": "/order-list", "hasQuery": true },
    "findings": { "group": "api", "method": "GET", "path": "/findings", "hasQuery": true, "isPage": true },
    "grain": { "group": "silo", "method": "GET", "path": "/devices/{device_id}/grain" }
  },
  "shifts": {
    "notes": { "group": "api", "method": "GET", "path": "/notes", "hasQuery": true, "isPage": true },
    "addNote": { "group": "api", "method": "POST", "path": "/notes", "hasBody": true, "hasIdempotencyKey": true },
    "removeNote": { "group": "api", "method": "DELETE", "path": "/notes/{note_id}" },
    "report": { "group": "api", "method": "GET", "path": "/shift-report", "hasQuery": true },
    "handovers": { "group": "api", "method": "GET", "path": "/handovers", "hasQuery": true, "isPage": true },
    "handOver": { "group": "api", "method": "POST", "path": "/handovers", "hasBody": true, "hasIdempotencyKey": true },
    "acknowledgeHandover": { "group": "api", "method": "POST", "path": "/handovers/{handover_id}/acknowledge", "hasIdempotencyKey": true }
  },
  "reports": {
    "report": { "group": "api", "method": "GET", "path": "/reports", "hasQuery": true },
    "send": { "group": "api", "method": "POST", "path": "/reports", "hasBody": true, "hasIdempotencyKey": true },
    "schedules": { "group": "api", "method": "GET", "path": "/report-schedules", "hasQuery": true, "isPage": true },
    "createSchedule": { "group": "api", "method": "POST", "path": "/report-schedules", "hasBody": true, "hasIdempotencyKey": true },
    "replaceSchedule": { "group": "api", "method": "PUT", "path": "/report-schedules/{schedule_id}", "hasBody": true },
    "removeSchedule": { "group": "api", "method": "DELETE", "path": "/report-schedules/{schedule_id}" }
  },
  "views": {
    "list": { "group": "api", "method": "GET", "path": "/views", "hasQuery": true, "isPage": true },
    "create": { "group": "api", "method": "POST", "path": "/views", "hasBody": true, "hasIdempotencyKey": true },
    "change": { "group": "api", "method": "PATCH", "path": "/views/{view_id}", "hasBody": true },
    "remove": { "group": "api", "method": "DELETE", "path": "/views/{view_id}" },
    "preferences": { "group": "api", "method": "GET", "path": "/preferences" },
    "changePreferences": { "group": "api", "method": "PUT", "path": "/preferences", "hasBody": true }
  },
  "bridges": {
    "report": {
      "group": "api",
      "method": "POST",
      "path": "/bridges/{bridge_id}/report",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "list": { "group": "api", "method": "GET", "path": "/bridges" },
    "get": { "group": "api", "method": "GET", "path": "/bridges/{bridge_id}" },
    "mappings": { "group": "api", "method": "GET", "path": "/bridges/{bridge_id}/mappings" },
    "test": {
      "group": "api",
      "method": "POST",
      "path": "/bridges/{bridge_id}/tests",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "addDevice": {
      "group": "api",
      "method": "POST",
      "path": "/bridges/{bridge_id}/devices",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "removeDevice": { "group": "api", "method": "DELETE", "path": "/bridges/{bridge_id}/devices/{device_id}" },
    "give": { "group": "api", "method": "PUT", "path": "/bridges/{bridge_id}/key", "hasBody": true },
    "remove": { "group": "api", "method": "DELETE", "path": "/bridges/{bridge_id}" }
  },
  "alarmHelp": {
    "list": { "group": "api", "method": "GET", "path": "/alarm-help", "hasQuery": true, "isPage": true },
    "put": { "group": "api", "method": "PUT", "path": "/alarm-help/{alert_type}", "hasQuery": true, "hasBody": true },
    "remove": { "group": "api", "method": "DELETE", "path": "/alarm-help/{alert_type}", "hasQuery": true }
  },
  "exports": {
    "readings": { "group": "api", "method": "GET", "path": "/readings", "hasQuery": true },
    "history": { "group": "api", "method": "GET", "path": "/history", "hasQuery": true }
  },
  "keys": {
    "list": { "group": "api", "method": "GET", "path": "/keys", "hasQuery": true, "isPage": true },
    "create": { "group": "api", "method": "POST", "path": "/keys", "hasBody": true, "hasIdempotencyKey": true },
    "revoke": { "group": "api", "method": "DELETE", "path": "/keys/{key_id}" },
    "rotate": { "group": "api", "method": "POST", "path": "/keys/{key_id}/rotate", "hasBody": true, "hasIdempotencyKey": true },
    "assign": { "group": "api", "method": "POST", "path": "/keys/{key_id}/assign", "hasBody": true, "hasIdempotencyKey": true }
  },
  "people": {
    "list": { "group": "api", "method": "GET", "path": "/people", "hasQuery": true, "isPage": true },
    "invite": { "group": "api", "method": "POST", "path": "/people", "hasBody": true, "hasIdempotencyKey": true },
    "change": { "group": "api", "method": "PATCH", "path": "/people/{person_id}", "hasBody": true },
    "renew": { "group": "api", "method": "POST", "path": "/people/{person_id}/invite", "hasIdempotencyKey": true },
    "disable": { "group": "api", "method": "POST", "path": "/people/{person_id}/disable", "hasIdempotencyKey": true },
    "unlink": { "group": "api", "method": "POST", "path": "/people/{person_id}/unlink", "hasIdempotencyKey": true }
  },
  "me": {
    "get": { "group": "api", "method": "GET", "path": "/me" },
    "changePassword": { "group": "api", "method": "PUT", "path": "/me/password", "hasBody": true },
    "changeSecondFactor": { "group": "api", "method": "PUT", "path": "/me/second-factor", "hasBody": true },
    "addPasskey": { "group": "api", "method": "PUT", "path": "/me/passkeys", "hasBody": true },
    "removePasskey": { "group": "api", "method": "PUT", "path": "/me/passkeys/{passkey_id}/removal", "hasBody": true },
    "unlink": { "group": "api", "method": "PUT", "path": "/me/identities/removal", "hasBody": true },
    "keys": { "group": "api", "method": "GET", "path": "/me/keys" },
    "createKey": { "group": "api", "method": "POST", "path": "/me/keys", "hasBody": true, "hasIdempotencyKey": true },
    "revokeKey": { "group": "api", "method": "DELETE", "path": "/me/keys/{key_id}" },
    "setPin": { "group": "api", "method": "PUT", "path": "/me/pin", "hasBody": true }
  },
  "push": {
    "get": { "group": "api", "method": "GET", "path": "/me/push" },
    "change": { "group": "api", "method": "PUT", "path": "/me/push", "hasBody": true },
    "subscribe": { "group": "api", "method": "PUT", "path": "/me/push/subscription", "hasBody": true },
    "unsubscribe": { "group": "api", "method": "DELETE", "path": "/me/push/subscriptions/{subscription_id}" },
    "test": { "group": "api", "method": "POST", "path": "/me/push/test", "hasIdempotencyKey": true }
  },
  "session": {
    "create": { "group": "api", "method": "POST", "path": "/session", "hasBody": true },
    "challenge": { "group": "api", "method": "POST", "path": "/session/challenge" },
    "list": { "group": "api", "method": "GET", "path": "/sessions" },
    "endOthers": { "group": "api", "method": "DELETE", "path": "/sessions" },
    "endOne": { "group": "api", "method": "DELETE", "path": "/sessions/{session_id}" },
    "get": { "group": "api", "method": "GET", "path": "/session" },
    "end": { "group": "api", "method": "DELETE", "path": "/session" },
    "createCode": { "group": "api", "method": "POST", "path": "/session/codes", "hasBody": true, "hasIdempotencyKey": true }
  },
  "signOn": {
    "policy": { "group": "api", "method": "GET", "path": "/sign-in-policy" },
    "putPolicy": { "group": "api", "method": "PUT", "path": "/sign-in-policy", "hasQuery": true, "hasBody": true },
    "provider": { "group": "api", "method": "GET", "path": "/identity-provider" },
    "signIns": { "group": "api", "method": "GET", "path": "/people/sign-ins", "hasQuery": true, "isPage": true },
    "start": { "group": "api", "method": "POST", "path": "/session/oidc/start", "hasBody": true },
    "link": { "group": "api", "method": "POST", "path": "/session/oidc/link", "hasBody": true, "hasIdempotencyKey": true },
    "callback": { "group": "api", "method": "GET", "path": "/session/oidc/callback" },
    "logout": { "group": "api", "method": "POST", "path": "/session/oidc-logout", "hasBody": true }
  },
  "terminals": {
    "list": { "group": "api", "method": "GET", "path": "/terminals", "hasQuery": true, "isPage": true },
    "enrol": { "group": "api", "method": "POST", "path": "/terminals", "hasBody": true, "hasIdempotencyKey": true },
    "end": { "group": "api", "method": "POST", "path": "/terminals/{terminal_id}/end", "hasIdempotencyKey": true },
    "people": { "group": "api", "method": "GET", "path": "/session/people" },
    "signIn": { "group": "api", "method": "PUT", "path": "/session/person", "hasBody": true },
    "stay": { "group": "api", "method": "PUT", "path": "/session/person/presence" },
    "lock": { "group": "api", "method": "DELETE", "path": "/session/person" }
  },
  "confirmations": {
    "create": { "group": "api", "method": "POST", "path": "/confirmations", "hasBody": true, "hasIdempotencyKey": true }
  },
  "notifications": {
    "rules": { "group": "api", "method": "GET", "path": "/notification-rules", "hasQuery": true, "isPage": true },
    "createRule": { "group": "api", "method": "POST", "path": "/notification-rules", "hasBody": true, "hasIdempotencyKey": true },
    "rule": { "group": "api", "method": "GET", "path": "/notification-rules/{rule_id}" },
    "replaceRule": { "group": "api", "method": "PUT", "path": "/notification-rules/{rule_id}", "hasBody": true },
    "removeRule": { "group": "api", "method": "DELETE", "path": "/notification-rules/{rule_id}" },
    "testRule": { "group": "api", "method": "POST", "path": "/notification-rules/{rule_id}/test", "hasIdempotencyKey": true },
    "list": { "group": "api", "method": "GET", "path": "/notifications", "hasQuery": true, "isPage": true }
  },
  "site": {
    "export": { "group": "api", "method": "GET", "path": "/export", "hasQuery": true },
    "apply": { "group": "api", "method": "POST", "path": "/apply", "hasQuery": true, "hasBody": true, "hasIdempotencyKey": true }
  },
  "icar": { "feedStorage": { "group": "api", "method": "GET", "path": "/icar/feed-storage", "hasQuery": true } },
  "readings": { "stream": { "group": "api", "method": "GET", "path": "/readings/stream", "hasQuery": true } },
  "webhooks": {
    "list": { "group": "api", "method": "GET", "path": "/webhooks", "hasQuery": true, "isPage": true },
    "create": { "group": "api", "method": "POST", "path": "/webhooks", "hasBody": true, "hasIdempotencyKey": true },
    "get": { "group": "api", "method": "GET", "path": "/webhooks/{webhook_id}" },
    "update": { "group": "api", "method": "PATCH", "path": "/webhooks/{webhook_id}", "hasBody": true },
    "remove": { "group": "api", "method": "DELETE", "path": "/webhooks/{webhook_id}" },
    "test": { "group": "api", "method": "POST", "path": "/webhooks/{webhook_id}/test", "hasIdempotencyKey": true },
    "rotateSecret": {
      "group": "api",
      "method": "POST",
      "path": "/webhooks/{webhook_id}/rotate-secret",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "deliveries": { "group": "api", "method": "GET", "path": "/webhooks/{webhook_id}/deliveries", "hasQuery": true, "isPage": true },
    "replay": {
      "group": "api",
      "method": "POST",
      "path": "/webhooks/{webhook_id}/replay",
      "hasBody": true,
      "hasIdempotencyKey": true
    },
    "enable": {
      "group": "api",
      "method": "POST",
      "path": "/webhooks/{webhook_id}/enable",
      "hasBody": true,
      "hasIdempotencyKey": true
    }
  },
  "audit": { "list": { "group": "api", "method": "GET", "path": "/audit", "hasQuery": true, "isPage": true } },
  "plants": {
    "create": { "group": "sandbox", "method": "POST", "path": "/plants", "hasBody": true, "hasIdempotencyKey": true },
    "list": { "group": "sandbox", "method": "GET", "path": "/plants", "hasQuery": true },
    "get": { "group": "sandbox", "method": "GET", "path": "/plants/{plant_id}" }
  },
  "console": {
    "page": { "group": "service", "method": "GET", "path": "/" },
    "asset": { "group": "service", "method": "GET", "path": "/assets/{asset}" },
    "manifest": { "group": "service", "method": "GET", "path": "/manifest.webmanifest" },
    "icon": { "group": "service", "method": "GET", "path": "/icon.svg" },
    "smallIcon": { "group": "service", "method": "GET", "path": "/icon-192.png" },
    "largeIcon": { "group": "service", "method": "GET", "path": "/icon-512.png" },
    "serviceWorker": { "group": "service", "method": "GET", "path": "/service-worker.js" },
    "mapTile": { "group": "service", "method": "GET", "path": "/map-tiles/{map_tile}" },
    "settings": { "group": "service", "method": "GET", "path": "/console.json" }
  },
  "mcp": {
    "call": {
      "group": "service",
      "method": "POST",
      "path": "/mcp",
      "isUrgent": { "method": ["tools/call"], "params.name": ["operations_stop", "commands_emergency_stop"] },
      "hasBody": true,
      "hasIdempotencyKey": true
    }
  },
  "health": {
    "live": { "group": "service", "method": "GET", "path": "/livez" },
    "ready": { "group": "service", "method": "GET", "path": "/readyz" },
    "metrics": { "group": "service", "method": "GET", "path": "/metrics" }
  },
  "reference": {
    "openapi": { "group": "service", "method": "GET", "path": "/openapi.json" },
    "asyncapi": { "group": "service", "method": "GET", "path": "/asyncapi.json" },
    "page": { "group": "service", "method": "GET", "path": "/docs" },
    "script": { "group": "service", "method": "GET", "path": "/docs/script.js" },
    "style": { "group": "service", "method": "GET", "path": "/docs/style.css" }
  },
  "events": { "stream": { "group": "api", "method": "GET", "path": "/events", "hasQuery": true } }
} as const;
export const EVENT_TYPES = [
  "device.registered",
  "device.updated",
  "device.credentials_replaced",
  "device.maintenance_changed",
  "device.removed",
  "device.restored",
  "device.purged",
  "device.status_changed",
  "configuration.changed",
  "operation.status_changed",
  "proposal.created",
  "proposal.decided",
  "command.status_changed",
  "mission.status_changed",
  "mission.waypoint_changed",
  "mission.updated",
  "alert.raised",
  "alert.status_changed",
  "alert.severity_raised",
  "alert.updated",
  "alert.shelved",
  "alert.unshelved",
  "forecast.changed",
  "refill.detected",
  "refill.changed",
  "finding.raised",
  "note.added",
  "note.removed",
  "handover.created",
  "handover.acknowledged",
  "key.issued",
  "key.rotated",
  "key.revoked",
  "notification_rule.created",
  "notification_rule.updated",
  "notification_rule.removed",
  "notification.failed",
  "webhook.created",
  "webhook.updated",
  "webhook.removed",
  "webhook.secret_rotated",
  "webhook.disabled",
  "webhook.delivery_dead"
] as const;
export const PROFILE_NAMES = ["rover", "silo_scale", "weather_station"] as const;
export const SENSORS_DECLARED_MAX = 64 as const;
export const INTERVALS = ["5m", "1h", "1d"] as const;
export const INTERVAL_MS = { "5m": 300000, "1h": 3600000, "1d": 86400000 } as const;
export const FAILSAFE_ACTIONS = ["continue", "hold", "return_to_base"] as const;
export const GEOFENCE_POINTS_MAX = 200 as const;
export const OPERATION_TYPES = ["feed", "discharge"] as const;
export const OPERATION_STATUSES = ["started", "in_progress", "stopping", "unconfirmed", "completed", "stopped", "failed"] as const;
export const MASS_UNITS = ["kg", "t", "lb", "g"] as const;
export const LEVEL_THRESHOLDS = ["low_level", "high_level", "critical_level"] as const;
export const COMMAND_STATUSES = ["queued", "sent", "executing", "succeeded", "failed", "rejected", "cancelled", "expired", "timed_out"] as const;
export const WAYPOINTS_MAX = 500 as const;
export const WAYPOINT_ACTIONS = ["scan", "collect_sample", "photograph", "wait", "none"] as const;
export const MISSION_STATUSES = ["scheduled", "dispatched", "in_progress", "paused", "completed", "aborted", "failed", "missed", "cancelled"] as const;
export const ALERT_TYPES = [
  "low_level",
  "high_level",
  "critical_level",
  "sensor_stale",
  "sensor_fault",
  "sensor_threshold",
  "device_offline",
  "readings_rejected",
  "clock_wrong",
  "duplicate_device",
  "operation_failed",
  "mass_imbalance",
  "maintenance_due",
  "low_battery",
  "geofence_breach",
  "mission_failed",
  "emergency_stop_unconfirmed",
  "predicted_empty",
  "no_flow",
  "unexplained_loss",
  "delivery_mismatch",
  "sensor_suspect",
  "hot_spot",
  "storage_life"
] as const;
export const ALERT_SEVERITIES = ["info", "warning", "critical"] as const;
export const ATTENTION_ITEMS_MAX = 20 as const;
export const ALERTS_ACKNOWLEDGED_MAX = 200 as const;
export const RAISED_PER_HOUR_ACCEPTABLE = 6 as const;
export const RAISED_PER_HOUR_MANAGEABLE = 12 as const;
export const GRAINS = ["maize", "wheat", "soft_wheat", "barley", "soybean", "rice", "sorghum"] as const;
export const ANIMAL_KINDS = ["broiler", "layer", "pig", "dairy", "other"] as const;
export const SILO_USE_FIELDS = ["product", "animals", "supply", "withdrawals", "time_zone"] as const;
export const REPORT_PERIODS = ["daily", "weekly", "monthly"] as const;
export const UNIT_CHOICES = {
  "mass": ["metric", "kg", "t", "lb", "short_ton", "bushel"],
  "temperature": ["celsius", "fahrenheit"],
  "speed": ["m/s", "km/h", "mph"]
} as const;
export const SCOPES = ["read", "stop", "propose", "operate", "configure", "ingest", "admin"] as const;
export const ROLES = {
  "viewer": ["read"],
  "operator": ["read", "operate"],
  "engineer": ["read", "operate", "configure"],
  "administrator": ["read", "configure", "admin"],
  "site_administrator": ["read", "configure", "admin"]
} as const;
export const PASSWORD_CHARS_MIN = 15 as const;
export const PASSWORD_CHARS_MIN_OF_TWO = 8 as const;
export const PUSHED_OPERATIONS = ["none", "own", "all"] as const;
export const TERMINAL_KINDS = ["terminal", "display"] as const;
export const TERMINAL_IDLE_MS = 300000 as const;
export const RECONFIRMATIONS = ["none", "pin", "second_person"] as const;
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export const NOTIFICATION_STATUSES = ["pending", "sent", "failed", "cancelled"] as const;
export const AUDIT_RESULTS = ["done", "refused"] as const;

export const PROFILE_OUTLINES: Readonly<Record<(typeof PROFILE_NAMES)[number], ProfileOutline>> = {
  "rover": {
    "group": "field",
    "channels": [
      "latitude",
      "longitude",
      "altitude",
      "battery_level",
      "signal_strength",
      "temperature",
      "humidity",
      "soil_moisture",
      "light_intensity",
      "wind_speed",
      "atmospheric_pressure"
    ],
    "capabilities": ["commands", "missions"]
  },
  "silo_scale": { "group": "silo", "channels": ["weight", "temperature", "humidity"], "capabilities": ["operations"] },
  "weather_station": {
    "group": "field",
    "channels": ["temperature", "humidity", "wind_speed", "atmospheric_pressure", "rainfall", "light_intensity"],
    "capabilities": []
  }
};
